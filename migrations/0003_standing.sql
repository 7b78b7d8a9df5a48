ALTER TABLE `developers` ADD `is_contested` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `developers_operator` ON `developers` (`is_operator`) WHERE is_operator = 1;--> statement-breakpoint
ALTER TABLE `member_invitations` ADD `backed_by` text REFERENCES developers(id) ON DELETE SET NULL;--> statement-breakpoint
CREATE INDEX `member_invitations_backed_by` ON `member_invitations` (`backed_by`,`organization_id`);--> statement-breakpoint
ALTER TABLE `project_access_tokens` ADD `owner_id` text REFERENCES developers(id) ON DELETE SET NULL;--> statement-breakpoint
CREATE INDEX `project_access_tokens_owner` ON `project_access_tokens` (`owner_id`,`organization_id`);--> statement-breakpoint
ALTER TABLE `channel_invitations` ADD `backed_by` text REFERENCES developers(id) ON DELETE SET NULL;--> statement-breakpoint
CREATE INDEX `channel_invitations_backed_by` ON `channel_invitations` (`backed_by`,`organization_id`);--> statement-breakpoint
ALTER TABLE `account_links` DROP COLUMN `password_hash`;--> statement-breakpoint
ALTER TABLE `account_links` DROP COLUMN `display_name`;--> statement-breakpoint
UPDATE `project_access_tokens` SET `owner_id` = `created_by`;--> statement-breakpoint
UPDATE `member_invitations` SET `backed_by` = `invited_by`;--> statement-breakpoint
UPDATE `channel_invitations` SET `backed_by` = `invited_by`;--> statement-breakpoint
UPDATE `developers` SET `is_contested` = 1 WHERE `email_verified_at` IS NULL;--> statement-breakpoint
UPDATE OR IGNORE `developers` SET `email` = ascii_address(`email`) WHERE `email` GLOB '*[^ -~]*';--> statement-breakpoint
UPDATE OR IGNORE `account_links` SET `email` = ascii_address(`email`) WHERE `email` GLOB '*[^ -~]*';--> statement-breakpoint
UPDATE OR IGNORE `member_invitations` SET `email` = ascii_address(`email`) WHERE `email` GLOB '*[^ -~]*';--> statement-breakpoint
UPDATE OR IGNORE `channel_invitations` SET `email` = ascii_address(`email`) WHERE `email` GLOB '*[^ -~]*';--> statement-breakpoint
UPDATE OR IGNORE `tester_grants` SET `email` = ascii_address(`email`) WHERE `email` GLOB '*[^ -~]*';--> statement-breakpoint
UPDATE OR IGNORE `tester_group_members` SET `email` = ascii_address(`email`) WHERE `email` GLOB '*[^ -~]*';
