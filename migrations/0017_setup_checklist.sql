CREATE TABLE `setup_marks` (
	`organization_id` text NOT NULL,
	`developer_id` text NOT NULL,
	`mark` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `developer_id`, `mark`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `setup_marks_developer` ON `setup_marks` (`developer_id`);--> statement-breakpoint
CREATE INDEX `setup_marks_backup` ON `setup_marks` (`mark`) WHERE mark = 'backup';--> statement-breakpoint
ALTER TABLE `projects` ADD `is_draft` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `projects_drafts` ON `projects` (`created_at`) WHERE is_draft = 1;