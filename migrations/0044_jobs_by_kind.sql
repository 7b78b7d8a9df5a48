DROP INDEX `jobs_due`;--> statement-breakpoint
CREATE INDEX `jobs_failed` ON `jobs` (`id`) WHERE last_error is not null;--> statement-breakpoint
CREATE INDEX `jobs_due` ON `jobs` (`state`,`kind`,`run_at`);