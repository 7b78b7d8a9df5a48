CREATE TABLE `email_codes` (
	`id` text PRIMARY KEY NOT NULL,
	`purpose` text NOT NULL,
	`email` text NOT NULL,
	`holder_hash` text NOT NULL,
	`network_hash` text,
	`code_hash` text,
	`token_hash` text,
	`failures` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`consumed_at` integer
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `email_codes_token` ON `email_codes` (`token_hash`);--> statement-breakpoint
CREATE INDEX `email_codes_holder` ON `email_codes` (`holder_hash`,`id`);--> statement-breakpoint
CREATE INDEX `email_codes_email` ON `email_codes` (`email`,`created_at`);--> statement-breakpoint
CREATE INDEX `email_codes_expires_at` ON `email_codes` (`expires_at`);--> statement-breakpoint
ALTER TABLE `developers` ADD `passkey_offer_closed_at` integer;--> statement-breakpoint
ALTER TABLE `sessions` ADD `sign_in_method` text;--> statement-breakpoint
ALTER TABLE `organizations` ADD `allows_email_sign_in` integer DEFAULT true NOT NULL;