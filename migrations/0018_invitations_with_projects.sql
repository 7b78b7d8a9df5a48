ALTER TABLE `developers` ADD `vouched_at` integer;--> statement-breakpoint
ALTER TABLE `member_invitations` ADD `projects` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `member_invitations` ADD `mailed_token_hash` text;--> statement-breakpoint
ALTER TABLE `member_invitations` ADD `mail_id` text;--> statement-breakpoint
ALTER TABLE `member_invitations` ADD `declined_at` integer;--> statement-breakpoint
ALTER TABLE `member_invitations` ADD `lapsed_at` integer;--> statement-breakpoint
CREATE UNIQUE INDEX `member_invitations_mailed_token` ON `member_invitations` (`mailed_token_hash`);