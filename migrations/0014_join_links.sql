CREATE TABLE `join_link_sign_ups` (
	`developer_id` text PRIMARY KEY NOT NULL,
	`join_link_id` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`join_link_id`) REFERENCES `join_links`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `join_link_sign_ups_link` ON `join_link_sign_ups` (`join_link_id`);--> statement-breakpoint
CREATE TABLE `join_links` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`project_id` text NOT NULL,
	`channel_id` text NOT NULL,
	`label` text,
	`token_hash` text NOT NULL,
	`email_domain` text,
	`max_people` integer,
	`joined` integer NOT NULL,
	`created_by` text,
	`backed_by` text,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`revoked_at` integer,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`created_by`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`backed_by`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `join_links_token` ON `join_links` (`token_hash`);--> statement-breakpoint
CREATE INDEX `join_links_channel` ON `join_links` (`channel_id`,`id`);--> statement-breakpoint
CREATE INDEX `join_links_organization` ON `join_links` (`organization_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `join_links_project` ON `join_links` (`project_id`);--> statement-breakpoint
CREATE INDEX `join_links_backed_by` ON `join_links` (`backed_by`,`organization_id`);--> statement-breakpoint
CREATE INDEX `join_links_created_by` ON `join_links` (`created_by`) WHERE created_by is not null;--> statement-breakpoint
CREATE INDEX `join_links_expires_at` ON `join_links` (`expires_at`) WHERE expires_at is not null;--> statement-breakpoint
CREATE INDEX `join_links_revoked_at` ON `join_links` (`revoked_at`) WHERE revoked_at is not null;--> statement-breakpoint
CREATE TABLE `tester_removals` (
	`target_id` text NOT NULL,
	`developer_id` text NOT NULL,
	`organization_id` text NOT NULL,
	`removed_at` integer NOT NULL,
	PRIMARY KEY(`developer_id`, `target_id`),
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `tester_removals_organization` ON `tester_removals` (`organization_id`,`removed_at`);--> statement-breakpoint
ALTER TABLE `tester_grants` ADD `join_link_id` text REFERENCES `join_links`(`id`) ON DELETE set null;--> statement-breakpoint
CREATE INDEX `tester_grants_join_link` ON `tester_grants` (`join_link_id`) WHERE join_link_id is not null;