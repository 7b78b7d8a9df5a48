CREATE TABLE `waiting_devices` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`channel_id` text NOT NULL,
	`device_id` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `waiting_devices_device` ON `waiting_devices` (`device_id`,`channel_id`);--> statement-breakpoint
CREATE INDEX `waiting_devices_channel` ON `waiting_devices` (`channel_id`,`id`);--> statement-breakpoint
CREATE INDEX `waiting_devices_organization` ON `waiting_devices` (`organization_id`,`channel_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `waiting_devices_created_at` ON `waiting_devices` (`created_at`);--> statement-breakpoint
ALTER TABLE `channels` ADD `allow_device_registration` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `device_enrollments` ADD `channel_id` text REFERENCES channels(id) ON DELETE cascade;--> statement-breakpoint
ALTER TABLE `device_enrollments` ADD `short_address` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `device_enrollments_channel` ON `device_enrollments` (`channel_id`) WHERE channel_id is not null;