CREATE TABLE `billing_accounts` (
	`organization_id` text PRIMARY KEY NOT NULL,
	`lifecycle` text NOT NULL,
	`trial_ends_at` integer,
	`committed_at` integer,
	`card_at` integer,
	`customer_id` text,
	`subscription_id` text,
	`subscription_status` text,
	`status_at` integer,
	`period_ends_at` integer,
	`payment_failed_at` integer,
	`payment_ok_at` integer,
	`ended_at` integer,
	`operator_lock` text,
	`locked_at` integer,
	`monthly_cap_cents` integer,
	`account_ceiling_cents` integer,
	`balance_cents` integer DEFAULT 0 NOT NULL,
	`paused_at` integer
) STRICT;
--> statement-breakpoint
CREATE INDEX `billing_accounts_subscription` ON `billing_accounts` (`subscription_id`);--> statement-breakpoint
CREATE TABLE `credit_entries` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`kind` text NOT NULL,
	`amount_cents` integer NOT NULL,
	`source` text NOT NULL,
	`operator_name` text,
	`note` text,
	`fee_cents` integer,
	`provider_id` text,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `credit_entries_organization` ON `credit_entries` (`organization_id`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `credit_entries_provider` ON `credit_entries` (`provider_id`);--> statement-breakpoint
CREATE TABLE `price_lists` (
	`id` text PRIMARY KEY NOT NULL,
	`storage_gib_month_cents` integer NOT NULL,
	`download_gib_cents` integer NOT NULL,
	`seat_month_cents` integer NOT NULL,
	`effective_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `provider_checkouts` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`purpose` text NOT NULL,
	`tier` text,
	`amount_cents` integer,
	`transaction_id` text,
	`checkout_url` text,
	`state` text NOT NULL,
	`created_at` integer NOT NULL,
	`subscription_id` text,
	`completed_at` integer
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `provider_checkouts_transaction` ON `provider_checkouts` (`transaction_id`);--> statement-breakpoint
CREATE INDEX `provider_checkouts_organization` ON `provider_checkouts` (`organization_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `provider_events` (
	`event_id` text PRIMARY KEY NOT NULL,
	`type` text NOT NULL,
	`occurred_at` integer NOT NULL,
	`received_at` integer NOT NULL,
	`organization_id` text,
	`outcome` text NOT NULL,
	`subscription_id` text,
	`held` text
) STRICT;
--> statement-breakpoint
CREATE INDEX `provider_events_received` ON `provider_events` (`received_at`);--> statement-breakpoint
CREATE INDEX `provider_events_subscription` ON `provider_events` (`subscription_id`);--> statement-breakpoint
CREATE TABLE `reservations` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`kind` text NOT NULL,
	`subject_id` text NOT NULL,
	`amount_ucents` integer NOT NULL,
	`details` text,
	`expires_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `reservations_subject` ON `reservations` (`kind`,`subject_id`);--> statement-breakpoint
CREATE INDEX `reservations_organization` ON `reservations` (`organization_id`,`expires_at`);--> statement-breakpoint
CREATE INDEX `reservations_expiry` ON `reservations` (`expires_at`);--> statement-breakpoint
CREATE TABLE `usage_months` (
	`organization_id` text NOT NULL,
	`month` text NOT NULL,
	`price_list_id` text NOT NULL,
	`level_bytes` integer NOT NULL,
	`level_seats` integer NOT NULL,
	`level_since` integer NOT NULL,
	`stored_byte_ms` text NOT NULL,
	`seat_ms` integer NOT NULL,
	`downloaded_bytes` integer NOT NULL,
	`closed_at` integer,
	PRIMARY KEY(`organization_id`, `month`, `price_list_id`)
) STRICT;
--> statement-breakpoint
CREATE INDEX `usage_months_open` ON `usage_months` (`month`,`organization_id`) WHERE closed_at is null;--> statement-breakpoint
ALTER TABLE `organizations` ADD `lock_advances_at` integer;