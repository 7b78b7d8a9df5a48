CREATE TABLE `repeated_uploads` (
	`pending_upload_id` text PRIMARY KEY NOT NULL,
	`build_id` text NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`build_id`) REFERENCES `builds`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `repeated_uploads_build` ON `repeated_uploads` (`build_id`);--> statement-breakpoint
CREATE INDEX `repeated_uploads_expires_at` ON `repeated_uploads` (`expires_at`);