ALTER TABLE `sso_connections` ADD `kind` text DEFAULT 'saml' NOT NULL;--> statement-breakpoint
ALTER TABLE `sso_connections` ADD `client_id` text;--> statement-breakpoint
ALTER TABLE `sso_connections` ADD `client_secret_encrypted` text;--> statement-breakpoint
ALTER TABLE `sso_connections` ADD `client_authentication` text;--> statement-breakpoint
ALTER TABLE `sso_connections` ADD `scopes` text;--> statement-breakpoint
ALTER TABLE `sso_connections` ADD `email_claim` text;--> statement-breakpoint
ALTER TABLE `sso_connections` ADD `name_claim` text;--> statement-breakpoint
ALTER TABLE `sso_connections` ADD `accepts_unverified_email` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `sso_sessions` ADD `id_token_encrypted` text;