ALTER TABLE `builds` ADD `pinned_at` integer;--> statement-breakpoint
CREATE INDEX `builds_announced` ON `builds` (`organization_id`,`project_id`,`id`) WHERE retention_notice_at is not null;--> statement-breakpoint
CREATE INDEX `builds_pinned` ON `builds` (`project_id`) WHERE pinned_at is not null;--> statement-breakpoint
ALTER TABLE `channels` ADD `keep_last` integer;--> statement-breakpoint
ALTER TABLE `channels` ADD `keep_days` integer;--> statement-breakpoint
CREATE INDEX `channels_retention` ON `channels` (`organization_id`,`id`) WHERE keep_last is not null or keep_days is not null;