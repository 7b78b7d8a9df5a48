ALTER TABLE `developers` ADD `is_contested` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `developers_operator` ON `developers` (`is_operator`) WHERE is_operator = 1;--> statement-breakpoint
ALTER TABLE `project_access_tokens` ADD `owner_id` text REFERENCES developers(id) ON DELETE SET NULL;--> statement-breakpoint
CREATE INDEX `project_access_tokens_owner` ON `project_access_tokens` (`owner_id`,`organization_id`);--> statement-breakpoint
CREATE INDEX `member_invitations_inviter` ON `member_invitations` (`invited_by`,`organization_id`);--> statement-breakpoint
CREATE INDEX `channel_invitations_inviter` ON `channel_invitations` (`invited_by`,`organization_id`);--> statement-breakpoint
UPDATE `project_access_tokens` SET `owner_id` = `created_by`;--> statement-breakpoint
UPDATE `developers` SET `is_contested` = 1 WHERE `email_verified_at` IS NULL;
