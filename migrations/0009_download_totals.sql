CREATE TABLE `download_totals` (
	`subject_id` text NOT NULL,
	`build_id` text NOT NULL,
	`downloads` integer NOT NULL,
	`first_at` integer NOT NULL,
	`last_at` integer NOT NULL,
	PRIMARY KEY(`subject_id`, `build_id`)
) STRICT;
--> statement-breakpoint
-- Earlier downloads are counted in the background (0040).
CREATE TRIGGER `downloads_counted` AFTER INSERT ON `downloads` BEGIN
	INSERT INTO `download_totals` SELECT `id`, new.`build_id`, 0, new.`created_at`, new.`created_at` FROM (SELECT new.`release_id` AS `id` UNION SELECT new.`channel_id`)
		WHERE `id` IS NOT NULL AND NOT EXISTS (SELECT 1 FROM `download_totals` WHERE `subject_id` = `id` AND `build_id` = new.`build_id`);
	UPDATE `download_totals` SET `downloads` = `downloads` + 1, `first_at` = min(`first_at`, new.`created_at`), `last_at` = max(`last_at`, new.`created_at`)
		WHERE `subject_id` IN (new.`release_id`, new.`channel_id`) AND `build_id` = new.`build_id`;
END;
