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
CREATE INDEX `previews_ends_at` ON `previews` (`ends_at`);--> statement-breakpoint
CREATE TABLE `__new_pending_uploads` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`project_id` text NOT NULL,
	`version_name` text,
	`build_number` integer,
	`bundle_identifier` text,
	`original_filename` text,
	`release_notes` text,
	`origin` text,
	`object_key` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_pending_uploads`("id", "organization_id", "project_id", "version_name", "build_number", "bundle_identifier", "original_filename", "release_notes", "origin", "object_key", "created_at", "expires_at") SELECT "id", "organization_id", "project_id", "version_name", "build_number", "bundle_identifier", "original_filename", "release_notes", "origin", "object_key", "created_at", "expires_at" FROM `pending_uploads`;--> statement-breakpoint
DROP TABLE `pending_uploads`;--> statement-breakpoint
ALTER TABLE `__new_pending_uploads` RENAME TO `pending_uploads`;--> statement-breakpoint
CREATE UNIQUE INDEX `pending_uploads_identity` ON `pending_uploads` (`project_id`,`version_name`,`build_number`);--> statement-breakpoint
CREATE INDEX `pending_uploads_expires_at` ON `pending_uploads` (`expires_at`);--> statement-breakpoint
CREATE INDEX `pending_uploads_organization` ON `pending_uploads` (`organization_id`);