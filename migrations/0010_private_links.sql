CREATE TABLE `former_slugs` (
	`slug` text PRIMARY KEY NOT NULL,
	`channel_id` text NOT NULL,
	`retired_at` integer NOT NULL,
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `former_slugs_channel` ON `former_slugs` (`channel_id`);--> statement-breakpoint
CREATE INDEX `former_slugs_retired_at` ON `former_slugs` (`retired_at`);--> statement-breakpoint
CREATE TABLE `access_requests` (
	`id` text PRIMARY KEY NOT NULL,
	`target_id` text NOT NULL,
	`channel_id` text,
	`organization_id` text,
	`developer_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`notified_at` integer,
	`declined_at` integer,
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `access_requests_developer` ON `access_requests` (`developer_id`,`target_id`);--> statement-breakpoint
CREATE INDEX `access_requests_channel` ON `access_requests` (`channel_id`,`id`);--> statement-breakpoint
CREATE INDEX `access_requests_organization` ON `access_requests` (`organization_id`,`id`);--> statement-breakpoint
CREATE INDEX `access_requests_created_at` ON `access_requests` (`created_at`);--> statement-breakpoint
ALTER TABLE `channels` ADD `slug` text;--> statement-breakpoint
CREATE UNIQUE INDEX `channels_slug` ON `channels` (`slug`) WHERE slug is not null;