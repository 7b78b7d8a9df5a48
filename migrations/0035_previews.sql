CREATE TABLE `previews` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`channel_id` text NOT NULL,
	`pull_request` integer NOT NULL,
	`opened_at` integer NOT NULL,
	`ends_at` integer NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `previews_pull_request` ON `previews` (`project_id`,`pull_request`);--> statement-breakpoint
CREATE INDEX `previews_project` ON `previews` (`project_id`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `previews_channel` ON `previews` (`channel_id`);--> statement-breakpoint
CREATE INDEX `previews_ends_at` ON `previews` (`ends_at`);