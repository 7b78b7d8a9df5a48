ALTER TABLE `builds` ADD `package_build_number` text;--> statement-breakpoint
CREATE INDEX `builds_project_number` ON `builds` (`project_id`,`build_number`);--> statement-breakpoint
UPDATE `builds` SET `package_build_number` = (
  SELECT json_extract(`content`, '$.buildNumber') FROM `build_facts` WHERE `build_id` = `builds`.`id` AND json_valid(`content`)
);--> statement-breakpoint
UPDATE `projects` SET `bundle_identifier` = (
  SELECT json_extract(`content`, '$.bundleIdentifier') FROM `builds` JOIN `build_facts` ON `build_id` = `id`
  WHERE `project_id` = `projects`.`id` AND json_valid(`content`) ORDER BY `id` LIMIT 1
) WHERE `bundle_identifier` IS NULL;
