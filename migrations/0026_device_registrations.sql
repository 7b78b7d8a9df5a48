CREATE TABLE `queued_registrations` (
	`store_connection_id` text NOT NULL,
	`device_id` text NOT NULL,
	`author` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`store_connection_id`, `device_id`),
	FOREIGN KEY (`store_connection_id`) REFERENCES `store_connections`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `queued_registrations_device` ON `queued_registrations` (`device_id`);--> statement-breakpoint
ALTER TABLE `store_connections` ADD `automatic_registration` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `store_connections` ADD `reserve` integer DEFAULT 10 NOT NULL;