ALTER TABLE `releases` ADD `created_by_token` text;--> statement-breakpoint
ALTER TABLE `releases` ADD `is_automatic` integer DEFAULT false NOT NULL;--> statement-breakpoint
UPDATE `releases` SET `is_automatic` = true WHERE `created_by` IS NULL AND `created_at` = (SELECT `uploaded_at` FROM `builds` WHERE `builds`.`id` = `releases`.`build_id`);
