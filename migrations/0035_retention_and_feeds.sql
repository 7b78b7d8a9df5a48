CREATE TABLE `feed_states` (
	`channel_id` text PRIMARY KEY NOT NULL,
	`content_hash` text NOT NULL,
	`changed_at` integer NOT NULL,
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE TABLE `feed_tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`project_id` text NOT NULL,
	`channel_id` text NOT NULL,
	`developer_id` text NOT NULL,
	`token_hash` text NOT NULL,
	`note` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `feed_tokens_token` ON `feed_tokens` (`token_hash`);--> statement-breakpoint
CREATE INDEX `feed_tokens_channel` ON `feed_tokens` (`channel_id`,`developer_id`,`id`);--> statement-breakpoint
CREATE INDEX `feed_tokens_developer` ON `feed_tokens` (`developer_id`);--> statement-breakpoint
CREATE INDEX `feed_tokens_organization` ON `feed_tokens` (`organization_id`);--> statement-breakpoint
CREATE INDEX `feed_tokens_project` ON `feed_tokens` (`project_id`);--> statement-breakpoint
CREATE TABLE `repository_keys` (
	`organization_id` text PRIMARY KEY NOT NULL,
	`certificate` text NOT NULL,
	`private_key_encrypted` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
ALTER TABLE `builds` ADD `pinned_at` integer;--> statement-breakpoint
CREATE INDEX `builds_announced` ON `builds` (`organization_id`,`project_id`,`id`) WHERE retention_notice_at is not null;--> statement-breakpoint
CREATE INDEX `builds_pinned` ON `builds` (`project_id`) WHERE pinned_at is not null;--> statement-breakpoint
ALTER TABLE `channels` ADD `keep_last` integer;--> statement-breakpoint
ALTER TABLE `channels` ADD `keep_days` integer;--> statement-breakpoint
CREATE INDEX `channels_retention` ON `channels` (`organization_id`,`id`) WHERE keep_last is not null or keep_days is not null;