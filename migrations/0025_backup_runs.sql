CREATE TABLE `backup_runs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`started_at` integer NOT NULL,
	`finished_at` integer,
	`place` text NOT NULL,
	`state` text NOT NULL,
	`backup_id` text,
	`added_bytes` integer,
	`total_bytes` integer,
	`objects` integer,
	`problem` text
) STRICT;
