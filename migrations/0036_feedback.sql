CREATE TABLE `feedback` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`developer_id` text,
	`channel_id` text,
	`release_id` text,
	`build_id` text,
	`sdk_install_id` text,
	`source` text NOT NULL,
	`state` text NOT NULL,
	`text` text NOT NULL,
	`version_name` text,
	`build_number` text,
	`device_model` text,
	`os_version` text,
	`contact_email` text,
	`picture_bytes` integer NOT NULL,
	`created_at` integer NOT NULL,
	`state_changed_at` integer,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `feedback_state` ON `feedback` (`project_id`,`state`,`id`);--> statement-breakpoint
CREATE INDEX `feedback_release` ON `feedback` (`project_id`,`release_id`,`id`);--> statement-breakpoint
CREATE INDEX `feedback_sizes` ON `feedback` (`project_id`,`id`,`picture_bytes`);--> statement-breakpoint
CREATE INDEX `feedback_developer` ON `feedback` (`developer_id`,`created_at`) WHERE developer_id is not null;--> statement-breakpoint
CREATE INDEX `feedback_install` ON `feedback` (`sdk_install_id`,`created_at`) WHERE sdk_install_id is not null;--> statement-breakpoint
CREATE TABLE `feedback_pictures` (
	`id` text PRIMARY KEY NOT NULL,
	`feedback_id` text NOT NULL,
	`position` integer NOT NULL,
	`image_key` text NOT NULL,
	`image_type` text NOT NULL,
	`width` integer NOT NULL,
	`height` integer NOT NULL,
	`size_bytes` integer NOT NULL,
	FOREIGN KEY (`feedback_id`) REFERENCES `feedback`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `feedback_pictures_feedback` ON `feedback_pictures` (`feedback_id`,`position`);--> statement-breakpoint
CREATE INDEX `feedback_pictures_object` ON `feedback_pictures` (`image_key`);--> statement-breakpoint
CREATE TABLE `feedback_replies` (
	`id` text PRIMARY KEY NOT NULL,
	`feedback_id` text NOT NULL,
	`developer_id` text,
	`text` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`feedback_id`) REFERENCES `feedback`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
--> statement-breakpoint
CREATE INDEX `feedback_replies_feedback` ON `feedback_replies` (`feedback_id`,`id`);--> statement-breakpoint
CREATE INDEX `feedback_replies_developer` ON `feedback_replies` (`developer_id`) WHERE developer_id is not null;