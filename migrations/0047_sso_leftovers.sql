ALTER TABLE `sso_connections` ADD `identity_key` text;--> statement-breakpoint
ALTER TABLE `sso_connections` ADD `session_key` text;