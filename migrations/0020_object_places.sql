CREATE TABLE `attached_backends` (
	`backend` text PRIMARY KEY NOT NULL,
	`attached_at` integer NOT NULL
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
CREATE INDEX `object_places_left` ON `object_places` (`left_at`) WHERE left_at is not null;