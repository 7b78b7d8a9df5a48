ALTER TABLE `developers` ADD `known_good_at` integer;--> statement-breakpoint
ALTER TABLE `passkeys` ADD `suspended_at` integer;--> statement-breakpoint
ALTER TABLE `sso_connections` ADD `trust_changed_at` integer;--> statement-breakpoint
ALTER TABLE `sso_sessions` ADD `authenticated_at` integer;--> statement-breakpoint
ALTER TABLE `totp_factors` ADD `begun_by_session` text;--> statement-breakpoint
CREATE INDEX `personal_access_tokens_developer` ON `personal_access_tokens` (`developer_id`,`id`);