CREATE TABLE `finished_waits` (
	`channel_id` text NOT NULL,
	`device_id` text NOT NULL,
	`build_id` text NOT NULL,
	`finished_at` integer NOT NULL,
	PRIMARY KEY(`channel_id`, `device_id`),
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `finished_waits_device` ON `finished_waits` (`device_id`);--> statement-breakpoint
CREATE INDEX `finished_waits_finished_at` ON `finished_waits` (`finished_at`);--> statement-breakpoint
DROP INDEX `member_invitations_email`;--> statement-breakpoint
DROP INDEX `member_invitations_backed_by`;--> statement-breakpoint
CREATE INDEX `member_invitations_email` ON `member_invitations` (`email`,`id`);--> statement-breakpoint
CREATE INDEX `member_invitations_backed_by` ON `member_invitations` (`backed_by`,`organization_id`,`id`);--> statement-breakpoint
DROP INDEX `access_requests_channel`;--> statement-breakpoint
DROP INDEX `access_requests_organization`;--> statement-breakpoint
CREATE INDEX `access_requests_channel_open` ON `access_requests` (`channel_id`,`id`) WHERE declined_at is null;--> statement-breakpoint
CREATE INDEX `access_requests_organization_open` ON `access_requests` (`organization_id`,`id`) WHERE declined_at is null;--> statement-breakpoint
CREATE INDEX `access_requests_unannounced` ON `access_requests` (`channel_id`,`id`) WHERE declined_at is null and notified_at is null;--> statement-breakpoint
CREATE INDEX `access_requests_channel` ON `access_requests` (`channel_id`);--> statement-breakpoint
CREATE INDEX `access_requests_organization` ON `access_requests` (`organization_id`);--> statement-breakpoint
DROP INDEX `channel_invitations_expires_at`;--> statement-breakpoint
CREATE INDEX `channel_invitations_accepted_at` ON `channel_invitations` (`accepted_at`) WHERE accepted_at is not null;--> statement-breakpoint
CREATE INDEX `channel_invitations_expires_at` ON `channel_invitations` (`expires_at`) WHERE accepted_at is null;--> statement-breakpoint
DROP INDEX `join_links_organization`;--> statement-breakpoint
CREATE INDEX `join_links_channel_open` ON `join_links` (`channel_id`,`expires_at`) WHERE revoked_at is null;--> statement-breakpoint
CREATE INDEX `join_links_organization` ON `join_links` (`organization_id`,`revoked_at`,`created_at`,`expires_at`);--> statement-breakpoint
ALTER TABLE `waiting_devices` ADD `is_unowned` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `waiting_devices_unowned` ON `waiting_devices` (`channel_id`) WHERE is_unowned = 1;--> statement-breakpoint
CREATE INDEX `channels_public` ON `channels` (`organization_id`,`id`) WHERE public = 1;--> statement-breakpoint
CREATE INDEX `downloads_organization` ON `downloads` (`organization_id`) WHERE channel_id is not null;--> statement-breakpoint
CREATE INDEX `share_links_channel_open` ON `share_links` (`channel_id`,`expires_at`) WHERE channel_id is not null and revoked_at is null;--> statement-breakpoint
CREATE INDEX `share_links_build_open` ON `share_links` (`build_id`,`expires_at`) WHERE build_id is not null and revoked_at is null;--> statement-breakpoint
UPDATE `waiting_devices` SET `is_unowned` = 1 WHERE (SELECT `developer_id` FROM `devices` WHERE `id` = `device_id`) IS NULL;--> statement-breakpoint
CREATE TRIGGER `waiting_devices_added` AFTER INSERT ON `waiting_devices` WHEN (SELECT `developer_id` FROM `devices` WHERE `id` = new.`device_id`) IS NULL BEGIN
	UPDATE `waiting_devices` SET `is_unowned` = 1 WHERE `id` = new.`id`;
END;--> statement-breakpoint
CREATE TRIGGER `waiting_devices_owned` AFTER UPDATE OF `developer_id` ON `devices` WHEN (old.`developer_id` IS NULL) <> (new.`developer_id` IS NULL) BEGIN
	UPDATE `waiting_devices` SET `is_unowned` = new.`developer_id` IS NULL WHERE `device_id` = new.`id`;
END;
