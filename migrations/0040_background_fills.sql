CREATE TABLE `background_fills` (
	`name` text PRIMARY KEY NOT NULL,
	`position` text NOT NULL,
	`until` text NOT NULL,
	`done` integer NOT NULL,
	`total` integer NOT NULL
) STRICT;
--> statement-breakpoint
-- By hand: what earlier migrations left. Databases of the development already have the totals, or only the first of them.
DELETE FROM `download_totals` WHERE NOT EXISTS (SELECT 1 FROM `download_sums`);--> statement-breakpoint
INSERT INTO `background_fills` SELECT 'downloads', '', max(`id`), 0, count(*) FROM `downloads` HAVING count(*) > 0 AND NOT EXISTS (SELECT 1 FROM `download_sums`);--> statement-breakpoint
INSERT INTO `background_fills` SELECT 'download_sums', '', '', 0, `total` FROM `background_fills` WHERE `name` = 'downloads';--> statement-breakpoint
INSERT INTO `background_fills` SELECT 'version_keys', '', '', 0, count(*) FROM `builds` WHERE `version_key` = '' HAVING count(*) > 0;
