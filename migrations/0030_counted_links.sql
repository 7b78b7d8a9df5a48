CREATE TABLE `counted_links` (
	`reservation_id` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `counted_links_expiry` ON `counted_links` (`expires_at`);