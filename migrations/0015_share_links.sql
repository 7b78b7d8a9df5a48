CREATE TABLE `share_links` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`project_id` text NOT NULL,
	`channel_id` text,
	`build_id` text,
	`token_hash` text NOT NULL,
	`note` text,
	`password_hash` text,
	`expires_at` integer,
	`max_installs` integer,
	`installs` integer DEFAULT 0 NOT NULL,
	`created_by` text,
	`created_at` integer NOT NULL,
	`revoked_at` integer,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`build_id`) REFERENCES `builds`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`created_by`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `share_links_token` ON `share_links` (`token_hash`);--> statement-breakpoint
CREATE INDEX `share_links_organization` ON `share_links` (`organization_id`);--> statement-breakpoint
CREATE INDEX `share_links_project` ON `share_links` (`project_id`,`id`);--> statement-breakpoint
CREATE INDEX `share_links_channel` ON `share_links` (`channel_id`,`id`) WHERE channel_id is not null;--> statement-breakpoint
CREATE INDEX `share_links_build` ON `share_links` (`build_id`,`id`) WHERE build_id is not null;--> statement-breakpoint
CREATE INDEX `share_links_created_by` ON `share_links` (`created_by`) WHERE created_by is not null;--> statement-breakpoint
CREATE INDEX `share_links_expires_at` ON `share_links` (`expires_at`) WHERE expires_at is not null;--> statement-breakpoint
CREATE INDEX `share_links_revoked_at` ON `share_links` (`revoked_at`) WHERE revoked_at is not null;