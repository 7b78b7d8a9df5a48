CREATE TABLE `attached_backends` (
	`backend` text PRIMARY KEY NOT NULL,
	`location` text NOT NULL,
	`attached_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `object_moves` (
	`id` text PRIMARY KEY NOT NULL,
	`to_backend` text NOT NULL,
	`organization_id` text,
	`started_at` integer NOT NULL,
	`seen_at` integer NOT NULL,
	`finished_at` integer,
	`objects` integer NOT NULL,
	`done` integer NOT NULL,
	`moved` integer NOT NULL,
	`bytes` integer NOT NULL,
	`failed` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `object_places` (
	`object_key` text PRIMARY KEY NOT NULL,
	`backend` text NOT NULL,
	`left_backend` text,
	`left_at` integer,
	`left_modified_at` integer
) STRICT;
--> statement-breakpoint
CREATE INDEX `object_places_left` ON `object_places` (`left_at`) WHERE left_at is not null;--> statement-breakpoint
CREATE TABLE `object_problems` (
	`object_key` text PRIMARY KEY NOT NULL,
	`what` text NOT NULL,
	`row_id` text NOT NULL,
	`build_id` text,
	`project_id` text,
	`problem` text NOT NULL,
	`found_at` integer NOT NULL
) STRICT;
