CREATE TABLE `group_totals` (
	`group_id` text PRIMARY KEY NOT NULL,
	`members` integer NOT NULL
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `data_exports_preparing` ON `data_exports` (`created_at`) WHERE state = 'preparing';--> statement-breakpoint
CREATE INDEX `data_exports_ready` ON `data_exports` (`expires_at`) WHERE state = 'ready';--> statement-breakpoint
CREATE INDEX `totp_factors_unconfirmed` ON `totp_factors` (`created_at`) WHERE confirmed_at is null;--> statement-breakpoint
CREATE INDEX `organization_memberships_admins` ON `organization_memberships` (`organization_id`,`created_at`) WHERE role = 'admin';--> statement-breakpoint
-- By hand: the totals of the groups that exist, and triggers that keep them.
INSERT INTO `group_totals` SELECT `group_id`, count(*) FROM `tester_group_members` GROUP BY `group_id`;--> statement-breakpoint
CREATE TRIGGER `tester_group_members_counted` AFTER INSERT ON `tester_group_members` BEGIN
	INSERT INTO `group_totals` VALUES (new.`group_id`, 1) ON CONFLICT DO UPDATE SET `members` = `members` + 1;
END;--> statement-breakpoint
CREATE TRIGGER `tester_group_members_uncounted` AFTER DELETE ON `tester_group_members` BEGIN
	UPDATE `group_totals` SET `members` = `members` - 1 WHERE `group_id` = old.`group_id`;
	DELETE FROM `group_totals` WHERE `group_id` = old.`group_id` AND `members` = 0;
END;
