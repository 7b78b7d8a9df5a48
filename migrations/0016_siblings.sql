ALTER TABLE `channels` ADD `sibling_name` text;--> statement-breakpoint
CREATE INDEX `channels_sibling_name` ON `channels` (`project_id`,lower(case when sibling_name is null then name else sibling_name end),sibling_name is null,`id`);--> statement-breakpoint
ALTER TABLE `projects` ADD `app_id` text;--> statement-breakpoint
CREATE UNIQUE INDEX `projects_app` ON `projects` (`app_id`,`platform`) WHERE app_id is not null;