CREATE TABLE `build_labels` (
	`build_id` text NOT NULL,
	`key` text NOT NULL,
	`label` text NOT NULL,
	`project_id` text NOT NULL,
	PRIMARY KEY(`build_id`, `key`),
	FOREIGN KEY (`build_id`) REFERENCES `builds`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `build_labels_project` ON `build_labels` (`project_id`,`key`,`build_id`);--> statement-breakpoint
ALTER TABLE `builds` ADD `version_key` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `builds` ADD `uploaded_by_token` text;--> statement-breakpoint
ALTER TABLE `builds` ADD `source_commit` text;--> statement-breakpoint
ALTER TABLE `builds` ADD `source_branch` text;--> statement-breakpoint
ALTER TABLE `builds` ADD `source_tag` text;--> statement-breakpoint
ALTER TABLE `builds` ADD `source_pull_request` integer;--> statement-breakpoint
ALTER TABLE `builds` ADD `source_repository_url` text;--> statement-breakpoint
ALTER TABLE `builds` ADD `source_run_url` text;--> statement-breakpoint
ALTER TABLE `builds` ADD `source_author` text;--> statement-breakpoint
CREATE INDEX `builds_project_version` ON `builds` (`project_id`,`version_key`,`id`);--> statement-breakpoint
CREATE INDEX `builds_project_bundle` ON `builds` (`project_id`,`bundle_identifier`,`id`);--> statement-breakpoint
CREATE INDEX `builds_project_uploader` ON `builds` (`project_id`,`uploaded_by_developer_id`,`id`) WHERE uploaded_by_developer_id is not null;--> statement-breakpoint
CREATE INDEX `builds_project_commit` ON `builds` (`project_id`,`source_commit`,`id`) WHERE source_commit is not null;--> statement-breakpoint
CREATE INDEX `builds_project_branch` ON `builds` (`project_id`,`source_branch`,`id`) WHERE source_branch is not null;--> statement-breakpoint
CREATE INDEX `builds_project_pull_request` ON `builds` (`project_id`,`source_pull_request`,`id`) WHERE source_pull_request is not null;--> statement-breakpoint
ALTER TABLE `pending_uploads` ADD `origin` text;