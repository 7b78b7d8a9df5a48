CREATE TABLE `apple_registrations` (
	`id` text PRIMARY KEY NOT NULL,
	`device_id` text NOT NULL,
	`store_connection_id` text NOT NULL,
	`state` text NOT NULL,
	`device_class` text,
	`registered_at` integer,
	`checked_at` integer NOT NULL,
	`message` text,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`store_connection_id`) REFERENCES `store_connections`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `apple_registrations_device` ON `apple_registrations` (`device_id`,`store_connection_id`);--> statement-breakpoint
CREATE INDEX `apple_registrations_connection` ON `apple_registrations` (`store_connection_id`);--> statement-breakpoint
CREATE TABLE `publish_jobs` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`project_id` text NOT NULL,
	`build_id` text NOT NULL,
	`store_connection_id` text NOT NULL,
	`store_connection_name` text NOT NULL,
	`provider` text NOT NULL,
	`track` text,
	`state` text NOT NULL,
	`created_at` integer NOT NULL,
	`created_by` text,
	`started_at` integer,
	`finished_at` integer,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`created_by`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
--> statement-breakpoint
CREATE INDEX `publish_jobs_project` ON `publish_jobs` (`project_id`,`id`);--> statement-breakpoint
CREATE INDEX `publish_jobs_organization` ON `publish_jobs` (`organization_id`);--> statement-breakpoint
CREATE INDEX `publish_jobs_created_by` ON `publish_jobs` (`created_by`) WHERE created_by is not null;--> statement-breakpoint
CREATE TABLE `store_connections` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`provider` text NOT NULL,
	`name` text NOT NULL,
	`issuer_id` text,
	`key_id` text,
	`client_email` text,
	`package_name` text,
	`sealed_secret` text NOT NULL,
	`status` text NOT NULL,
	`checked_at` integer NOT NULL,
	`scope` text NOT NULL,
	`failure_code` text,
	`failure_message` text,
	`created_at` integer NOT NULL,
	`created_by` text,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`created_by`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
--> statement-breakpoint
CREATE INDEX `store_connections_organization` ON `store_connections` (`organization_id`,`id`);--> statement-breakpoint
CREATE INDEX `store_connections_created_by` ON `store_connections` (`created_by`) WHERE created_by is not null;