ALTER TABLE `builds` ADD `icon_color` text;--> statement-breakpoint
ALTER TABLE `organizations` ADD `icon_color` text;