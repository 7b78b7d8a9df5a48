CREATE TABLE `package_integrity` (
	`build_id` text PRIMARY KEY NOT NULL,
	`sha256` text,
	`modified_at` integer,
	`verified_at` integer NOT NULL,
	`problem` text,
	`problem_at` integer,
	FOREIGN KEY (`build_id`) REFERENCES `builds`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `package_integrity_verified` ON `package_integrity` (`verified_at`);--> statement-breakpoint
CREATE INDEX `package_integrity_problem` ON `package_integrity` (`verified_at`) WHERE problem is not null;--> statement-breakpoint
-- Existing builds get their hash from the cleanup job that reads their packages.
INSERT INTO `package_integrity` (`build_id`, `verified_at`) SELECT `id`, 0 FROM `builds`;
