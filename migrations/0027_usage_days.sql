CREATE TABLE `usage_days` (
	`organization_id` text NOT NULL,
	`day` text NOT NULL,
	`price_list_id` text NOT NULL,
	`stored_byte_ms` text NOT NULL,
	`seat_ms` integer NOT NULL,
	`downloaded_bytes` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `day`, `price_list_id`)
) STRICT;
--> statement-breakpoint
CREATE INDEX `usage_days_day` ON `usage_days` (`day`);--> statement-breakpoint
CREATE INDEX `builds_size` ON `builds` (`organization_id`,`size_bytes`);