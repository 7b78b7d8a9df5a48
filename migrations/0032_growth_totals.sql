CREATE TABLE `access_versions` (
	`organization_id` text PRIMARY KEY NOT NULL,
	`version` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `build_totals` (
	`project_id` text NOT NULL,
	`backend` text NOT NULL,
	`organization_id` text NOT NULL,
	`builds` integer NOT NULL,
	`bytes` integer NOT NULL,
	PRIMARY KEY(`project_id`, `backend`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `build_totals_organization` ON `build_totals` (`organization_id`);--> statement-breakpoint
CREATE TABLE `download_days` (
	`channel_id` text NOT NULL,
	`day` integer NOT NULL,
	`downloads` integer NOT NULL,
	PRIMARY KEY(`channel_id`, `day`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `download_sums` (
	`subject_id` text PRIMARY KEY NOT NULL,
	`downloads` integer NOT NULL,
	`builds` integer NOT NULL,
	`takers` integer NOT NULL,
	`first_at` integer NOT NULL,
	`last_at` integer NOT NULL
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `report_days` (
	`subject_id` text NOT NULL,
	`day` integer NOT NULL,
	`state` text NOT NULL,
	`reports` integer NOT NULL,
	PRIMARY KEY(`subject_id`, `day`, `state`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `builds_object` ON `builds` (`object_key`);--> statement-breakpoint
-- By hand: the totals of the rows that exist, and triggers that keep them. Earlier downloads are counted in the background (0040).
INSERT INTO `report_days` SELECT `p`.`release_id`, `p`.`created_at` / 86400000, `p`.`state`, count(*)
	FROM `sdk_reports` AS `p` JOIN `releases` AS `r` ON `r`.`id` = `p`.`release_id` GROUP BY 1, 2, 3;--> statement-breakpoint
INSERT INTO `report_days` SELECT `r`.`channel_id`, `d`.`day`, `d`.`state`, sum(`d`.`reports`)
	FROM `report_days` AS `d` JOIN `releases` AS `r` ON `r`.`id` = `d`.`subject_id` GROUP BY 1, 2, 3;--> statement-breakpoint
INSERT INTO `build_totals` SELECT `project_id`, coalesce(`backend`, ''), min(`organization_id`), count(*), sum(`size_bytes`)
	FROM `builds` LEFT JOIN `object_places` USING (`object_key`) GROUP BY 1, 2;--> statement-breakpoint
DROP TRIGGER `downloads_counted`;--> statement-breakpoint
CREATE TRIGGER `downloads_counted` AFTER INSERT ON `downloads` BEGIN
	INSERT INTO `download_sums` SELECT `id`, 0, 0, 0, new.`created_at`, new.`created_at` FROM (SELECT new.`release_id` AS `id` UNION SELECT new.`channel_id`)
		WHERE `id` IS NOT NULL AND NOT EXISTS (SELECT 1 FROM `download_sums` WHERE `subject_id` = `id`);
	UPDATE `download_sums` SET `downloads` = `downloads` + 1, `first_at` = min(`first_at`, new.`created_at`), `last_at` = max(`last_at`, new.`created_at`),
		`builds` = `builds` + NOT EXISTS (SELECT 1 FROM `download_totals` AS `t` WHERE `t`.`subject_id` = `download_sums`.`subject_id` AND `t`.`build_id` = new.`build_id`),
		`takers` = `takers` + (new.`developer_id` IS NOT NULL AND CASE WHEN `subject_id` = new.`release_id`
			THEN NOT EXISTS (SELECT 1 FROM `downloads` AS `d` WHERE `d`.`release_id` = new.`release_id` AND `d`.`developer_id` = new.`developer_id` AND `d`.`id` <> new.`id`)
			ELSE NOT EXISTS (SELECT 1 FROM `downloads` AS `d` WHERE `d`.`channel_id` = new.`channel_id` AND `d`.`developer_id` = new.`developer_id` AND `d`.`id` <> new.`id`) END)
		WHERE `subject_id` IN (new.`release_id`, new.`channel_id`);
	INSERT INTO `download_totals` SELECT `id`, new.`build_id`, 0, new.`created_at`, new.`created_at` FROM (SELECT new.`release_id` AS `id` UNION SELECT new.`channel_id`)
		WHERE `id` IS NOT NULL AND NOT EXISTS (SELECT 1 FROM `download_totals` WHERE `subject_id` = `id` AND `build_id` = new.`build_id`);
	UPDATE `download_totals` SET `downloads` = `downloads` + 1, `first_at` = min(`first_at`, new.`created_at`), `last_at` = max(`last_at`, new.`created_at`)
		WHERE `subject_id` IN (new.`release_id`, new.`channel_id`) AND `build_id` = new.`build_id`;
	INSERT INTO `download_days` SELECT new.`channel_id`, new.`created_at` / 86400000, 0 WHERE new.`channel_id` IS NOT NULL
		AND NOT EXISTS (SELECT 1 FROM `download_days` WHERE `channel_id` = new.`channel_id` AND `day` = new.`created_at` / 86400000);
	UPDATE `download_days` SET `downloads` = `downloads` + 1 WHERE `channel_id` = new.`channel_id` AND `day` = new.`created_at` / 86400000;
END;--> statement-breakpoint
CREATE TRIGGER `downloads_cleared` AFTER UPDATE OF `developer_id` ON `downloads` WHEN old.`developer_id` IS NOT NULL AND new.`developer_id` IS NULL BEGIN
	UPDATE `download_sums` SET `takers` = `takers` - 1 WHERE `subject_id` = old.`release_id`
		AND NOT EXISTS (SELECT 1 FROM `downloads` AS `d` WHERE `d`.`release_id` = old.`release_id` AND `d`.`developer_id` = old.`developer_id`);
	UPDATE `download_sums` SET `takers` = `takers` - 1 WHERE `subject_id` = old.`channel_id` AND old.`channel_id` IS NOT old.`release_id`
		AND NOT EXISTS (SELECT 1 FROM `downloads` AS `d` WHERE `d`.`channel_id` = old.`channel_id` AND `d`.`developer_id` = old.`developer_id`);
END;--> statement-breakpoint
CREATE TRIGGER `sdk_reports_added` AFTER INSERT ON `sdk_reports` BEGIN
	INSERT INTO `report_days` SELECT `id`, new.`created_at` / 86400000, new.`state`, 1 FROM (SELECT `id` FROM `releases` WHERE `id` = new.`release_id` UNION ALL SELECT `channel_id` FROM `releases` WHERE `id` = new.`release_id`) WHERE true
		ON CONFLICT DO UPDATE SET `reports` = `reports` + 1;
END;--> statement-breakpoint
CREATE TRIGGER `sdk_reports_changed` AFTER UPDATE OF `state` ON `sdk_reports` WHEN old.`state` <> new.`state` BEGIN
	UPDATE `report_days` SET `reports` = `reports` - 1 WHERE `subject_id` IN (SELECT `id` FROM `releases` WHERE `id` = old.`release_id` UNION ALL SELECT `channel_id` FROM `releases` WHERE `id` = old.`release_id`)
		AND `day` = old.`created_at` / 86400000 AND `state` = old.`state`;
	DELETE FROM `report_days` WHERE `subject_id` IN (SELECT `id` FROM `releases` WHERE `id` = old.`release_id` UNION ALL SELECT `channel_id` FROM `releases` WHERE `id` = old.`release_id`)
		AND `day` = old.`created_at` / 86400000 AND `state` = old.`state` AND `reports` = 0;
	INSERT INTO `report_days` SELECT `id`, new.`created_at` / 86400000, new.`state`, 1 FROM (SELECT `id` FROM `releases` WHERE `id` = new.`release_id` UNION ALL SELECT `channel_id` FROM `releases` WHERE `id` = new.`release_id`) WHERE true
		ON CONFLICT DO UPDATE SET `reports` = `reports` + 1;
END;--> statement-breakpoint
CREATE TRIGGER `sdk_reports_removed` AFTER DELETE ON `sdk_reports` BEGIN
	UPDATE `report_days` SET `reports` = `reports` - 1 WHERE `subject_id` IN (SELECT `id` FROM `releases` WHERE `id` = old.`release_id` UNION ALL SELECT `channel_id` FROM `releases` WHERE `id` = old.`release_id`)
		AND `day` = old.`created_at` / 86400000 AND `state` = old.`state`;
	DELETE FROM `report_days` WHERE `subject_id` IN (SELECT `id` FROM `releases` WHERE `id` = old.`release_id` UNION ALL SELECT `channel_id` FROM `releases` WHERE `id` = old.`release_id`)
		AND `day` = old.`created_at` / 86400000 AND `state` = old.`state` AND `reports` = 0;
END;--> statement-breakpoint
CREATE TRIGGER `releases_removed` AFTER DELETE ON `releases` BEGIN
	UPDATE `report_days` SET `reports` = `reports` - (SELECT `r`.`reports` FROM `report_days` AS `r`
			WHERE `r`.`subject_id` = old.`id` AND `r`.`day` = `report_days`.`day` AND `r`.`state` = `report_days`.`state`)
		WHERE `subject_id` = old.`channel_id` AND (`day`, `state`) IN (SELECT `day`, `state` FROM `report_days` WHERE `subject_id` = old.`id`);
	DELETE FROM `report_days` WHERE `subject_id` = old.`channel_id` AND `reports` = 0
		AND (`day`, `state`) IN (SELECT `day`, `state` FROM `report_days` WHERE `subject_id` = old.`id`);
	DELETE FROM `report_days` WHERE `subject_id` = old.`id`;
END;--> statement-breakpoint
CREATE TRIGGER `builds_added` AFTER INSERT ON `builds` BEGIN
	INSERT INTO `build_totals` SELECT new.`project_id`, coalesce((SELECT `backend` FROM `object_places` WHERE `object_key` = new.`object_key`), ''), new.`organization_id`, 1, new.`size_bytes` WHERE true
		ON CONFLICT DO UPDATE SET `builds` = `builds` + 1, `bytes` = `bytes` + excluded.`bytes`;
END;--> statement-breakpoint
CREATE TRIGGER `builds_changed` AFTER UPDATE OF `project_id`, `size_bytes`, `object_key` ON `builds`
	WHEN old.`project_id` <> new.`project_id` OR old.`size_bytes` <> new.`size_bytes` OR old.`object_key` <> new.`object_key` BEGIN
	UPDATE `build_totals` SET `builds` = `builds` - 1, `bytes` = `bytes` - old.`size_bytes` WHERE `project_id` = old.`project_id` AND `backend` = coalesce((SELECT `backend` FROM `object_places` WHERE `object_key` = old.`object_key`), '');
	DELETE FROM `build_totals` WHERE `project_id` = old.`project_id` AND `backend` = coalesce((SELECT `backend` FROM `object_places` WHERE `object_key` = old.`object_key`), '') AND `builds` = 0;
	INSERT INTO `build_totals` SELECT new.`project_id`, coalesce((SELECT `backend` FROM `object_places` WHERE `object_key` = new.`object_key`), ''), new.`organization_id`, 1, new.`size_bytes` WHERE true
		ON CONFLICT DO UPDATE SET `builds` = `builds` + 1, `bytes` = `bytes` + excluded.`bytes`;
END;--> statement-breakpoint
CREATE TRIGGER `builds_removed` AFTER DELETE ON `builds` BEGIN
	UPDATE `build_totals` SET `builds` = `builds` - 1, `bytes` = `bytes` - old.`size_bytes` WHERE `project_id` = old.`project_id` AND `backend` = coalesce((SELECT `backend` FROM `object_places` WHERE `object_key` = old.`object_key`), '');
	DELETE FROM `build_totals` WHERE `project_id` = old.`project_id` AND `backend` = coalesce((SELECT `backend` FROM `object_places` WHERE `object_key` = old.`object_key`), '') AND `builds` = 0;
END;--> statement-breakpoint
CREATE TRIGGER `object_places_added` AFTER INSERT ON `object_places` BEGIN
	UPDATE `build_totals` SET `builds` = `builds` - 1, `bytes` = `bytes` - (SELECT `size_bytes` FROM `builds` WHERE `object_key` = new.`object_key`)
		WHERE `project_id` = (SELECT `project_id` FROM `builds` WHERE `object_key` = new.`object_key`) AND `backend` = '';
	DELETE FROM `build_totals` WHERE `project_id` = (SELECT `project_id` FROM `builds` WHERE `object_key` = new.`object_key`) AND `backend` = '' AND `builds` = 0;
	INSERT INTO `build_totals` SELECT `project_id`, new.`backend`, `organization_id`, 1, `size_bytes` FROM `builds` WHERE `object_key` = new.`object_key`
		ON CONFLICT DO UPDATE SET `builds` = `builds` + 1, `bytes` = `bytes` + excluded.`bytes`;
END;--> statement-breakpoint
CREATE TRIGGER `object_places_changed` AFTER UPDATE OF `backend` ON `object_places` WHEN old.`backend` <> new.`backend` BEGIN
	UPDATE `build_totals` SET `builds` = `builds` - 1, `bytes` = `bytes` - (SELECT `size_bytes` FROM `builds` WHERE `object_key` = new.`object_key`)
		WHERE `project_id` = (SELECT `project_id` FROM `builds` WHERE `object_key` = new.`object_key`) AND `backend` = old.`backend`;
	DELETE FROM `build_totals` WHERE `project_id` = (SELECT `project_id` FROM `builds` WHERE `object_key` = new.`object_key`) AND `backend` = old.`backend` AND `builds` = 0;
	INSERT INTO `build_totals` SELECT `project_id`, new.`backend`, `organization_id`, 1, `size_bytes` FROM `builds` WHERE `object_key` = new.`object_key`
		ON CONFLICT DO UPDATE SET `builds` = `builds` + 1, `bytes` = `bytes` + excluded.`bytes`;
END;--> statement-breakpoint
CREATE TRIGGER `object_places_removed` AFTER DELETE ON `object_places` BEGIN
	UPDATE `build_totals` SET `builds` = `builds` - 1, `bytes` = `bytes` - (SELECT `size_bytes` FROM `builds` WHERE `object_key` = old.`object_key`)
		WHERE `project_id` = (SELECT `project_id` FROM `builds` WHERE `object_key` = old.`object_key`) AND `backend` = old.`backend`;
	DELETE FROM `build_totals` WHERE `project_id` = (SELECT `project_id` FROM `builds` WHERE `object_key` = old.`object_key`) AND `backend` = old.`backend` AND `builds` = 0;
	INSERT INTO `build_totals` SELECT `project_id`, '', `organization_id`, 1, `size_bytes` FROM `builds` WHERE `object_key` = old.`object_key`
		ON CONFLICT DO UPDATE SET `builds` = `builds` + 1, `bytes` = `bytes` + excluded.`bytes`;
END;--> statement-breakpoint
CREATE TRIGGER `tester_grants_added` AFTER INSERT ON `tester_grants` BEGIN
	INSERT INTO `access_versions` SELECT new.`organization_id`, 1 WHERE true ON CONFLICT DO UPDATE SET `version` = `version` + 1;
END;--> statement-breakpoint
CREATE TRIGGER `tester_grants_changed` AFTER UPDATE OF `developer_id`, `target_id` ON `tester_grants` BEGIN
	INSERT INTO `access_versions` SELECT new.`organization_id`, 1 WHERE true ON CONFLICT DO UPDATE SET `version` = `version` + 1;
END;--> statement-breakpoint
CREATE TRIGGER `tester_grants_removed` AFTER DELETE ON `tester_grants` BEGIN
	INSERT INTO `access_versions` SELECT old.`organization_id`, 1 WHERE true ON CONFLICT DO UPDATE SET `version` = `version` + 1;
END;--> statement-breakpoint
CREATE TRIGGER `tester_group_grants_added` AFTER INSERT ON `tester_group_grants` BEGIN
	INSERT INTO `access_versions` SELECT new.`organization_id`, 1 WHERE true ON CONFLICT DO UPDATE SET `version` = `version` + 1;
END;--> statement-breakpoint
CREATE TRIGGER `tester_group_grants_removed` AFTER DELETE ON `tester_group_grants` BEGIN
	INSERT INTO `access_versions` SELECT old.`organization_id`, 1 WHERE true ON CONFLICT DO UPDATE SET `version` = `version` + 1;
END;--> statement-breakpoint
CREATE TRIGGER `tester_group_members_added` AFTER INSERT ON `tester_group_members` BEGIN
	INSERT INTO `access_versions` SELECT `organization_id`, 1 FROM `tester_groups` WHERE `id` = new.`group_id` ON CONFLICT DO UPDATE SET `version` = `version` + 1;
END;--> statement-breakpoint
CREATE TRIGGER `tester_group_members_changed` AFTER UPDATE OF `developer_id` ON `tester_group_members` BEGIN
	INSERT INTO `access_versions` SELECT `organization_id`, 1 FROM `tester_groups` WHERE `id` = new.`group_id` ON CONFLICT DO UPDATE SET `version` = `version` + 1;
END;--> statement-breakpoint
CREATE TRIGGER `tester_group_members_removed` AFTER DELETE ON `tester_group_members` BEGIN
	INSERT INTO `access_versions` SELECT `organization_id`, 1 FROM `tester_groups` WHERE `id` = old.`group_id` ON CONFLICT DO UPDATE SET `version` = `version` + 1;
END;--> statement-breakpoint
CREATE TRIGGER `tester_groups_removed` AFTER DELETE ON `tester_groups` BEGIN
	INSERT INTO `access_versions` SELECT old.`organization_id`, 1 WHERE true ON CONFLICT DO UPDATE SET `version` = `version` + 1;
END;
