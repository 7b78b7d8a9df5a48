CREATE TABLE `taken_back_chargebacks` (
	`adjustment_id` text PRIMARY KEY NOT NULL,
	`transaction_id` text NOT NULL,
	`action` text NOT NULL,
	`amount_cents` integer NOT NULL,
	`is_itself` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `taken_back_chargebacks_transaction` ON `taken_back_chargebacks` (`transaction_id`);--> statement-breakpoint
ALTER TABLE `provider_checkouts` ADD `currency` text;