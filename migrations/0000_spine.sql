CREATE TABLE `developers` (
	`id` text PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`email_verified_at` integer,
	`display_name` text NOT NULL,
	`locale` text,
	`password_hash` text,
	`is_operator` integer DEFAULT false NOT NULL,
	`totp_enabled_at` integer,
	`passkey_count` integer DEFAULT 0 NOT NULL,
	`deletion_due_at` integer,
	`locked_at` integer,
	`avatar_key` text,
	`avatar_type` text,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `developers_email` ON `developers` (`email`);--> statement-breakpoint
CREATE TABLE `refresh_tokens` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`consumed_at` integer,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `refresh_tokens_session` ON `refresh_tokens` (`session_id`);--> statement-breakpoint
CREATE INDEX `refresh_tokens_expires_at` ON `refresh_tokens` (`expires_at`);--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`developer_id` text NOT NULL,
	`user_agent` text,
	`ip_address` text,
	`created_at` integer NOT NULL,
	`last_used_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`revoked_at` integer,
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `sessions_developer` ON `sessions` (`developer_id`,`id`);--> statement-breakpoint
CREATE INDEX `sessions_expires_at` ON `sessions` (`expires_at`);--> statement-breakpoint
CREATE TABLE `setup_links` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`consumed_at` integer
) STRICT;
--> statement-breakpoint
CREATE TABLE `signing_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`public_key` text NOT NULL,
	`private_key_encrypted` text NOT NULL,
	`created_at` integer NOT NULL,
	`retired_at` integer
) STRICT;
--> statement-breakpoint
CREATE TABLE `build_facts` (
	`build_id` text PRIMARY KEY NOT NULL,
	`content` text NOT NULL,
	`profile_expires_at` integer,
	`certificate_expires_at` integer,
	`provisioned_devices` text,
	FOREIGN KEY (`build_id`) REFERENCES `builds`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `build_facts_profile_expires_at` ON `build_facts` (`profile_expires_at`);--> statement-breakpoint
CREATE INDEX `build_facts_certificate_expires_at` ON `build_facts` (`certificate_expires_at`);--> statement-breakpoint
CREATE TABLE `build_inspections` (
	`build_id` text PRIMARY KEY NOT NULL,
	`content` text,
	`reason` text,
	FOREIGN KEY (`build_id`) REFERENCES `builds`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE TABLE `builds` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`project_id` text NOT NULL,
	`platform` text NOT NULL,
	`version_name` text NOT NULL,
	`build_number` integer NOT NULL,
	`sha256` text NOT NULL,
	`size_bytes` integer NOT NULL,
	`uploaded_at` integer NOT NULL,
	`bundle_identifier` text,
	`original_filename` text,
	`release_notes` text,
	`min_os_version` text,
	`object_key` text NOT NULL,
	`icon_key` text,
	`icon_type` text,
	`inspection_status` text NOT NULL,
	`revoked_at` integer,
	`retention_notice_at` integer,
	`uploaded_by_developer_id` text,
	`pending_upload_id` text NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`uploaded_by_developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `builds_identity` ON `builds` (`project_id`,`version_name`,`build_number`);--> statement-breakpoint
CREATE UNIQUE INDEX `builds_pending_upload` ON `builds` (`pending_upload_id`);--> statement-breakpoint
CREATE INDEX `builds_project` ON `builds` (`project_id`,`id`);--> statement-breakpoint
CREATE INDEX `builds_age` ON `builds` (`organization_id`,`uploaded_at`);--> statement-breakpoint
CREATE INDEX `builds_project_active` ON `builds` (`project_id`,`id`) WHERE revoked_at is null;--> statement-breakpoint
CREATE INDEX `builds_project_revoked` ON `builds` (`project_id`,`id`) WHERE revoked_at is not null;--> statement-breakpoint
CREATE TABLE `doomed_objects` (
	`object_key` text PRIMARY KEY NOT NULL,
	`doomed_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `object_walks` (
	`prefix` text PRIMARY KEY NOT NULL,
	`after` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `pending_uploads` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`project_id` text NOT NULL,
	`version_name` text NOT NULL,
	`build_number` integer NOT NULL,
	`bundle_identifier` text,
	`original_filename` text,
	`release_notes` text,
	`object_key` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `pending_uploads_identity` ON `pending_uploads` (`project_id`,`version_name`,`build_number`);--> statement-breakpoint
CREATE INDEX `pending_uploads_expires_at` ON `pending_uploads` (`expires_at`);--> statement-breakpoint
CREATE TABLE `acme_accounts` (
	`directory` text PRIMARY KEY NOT NULL,
	`private_key_encrypted` text NOT NULL,
	`account_url` text,
	`created_at` integer NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`last_error` text,
	`attempted_at` integer,
	`next_attempt_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `certificate_authorities` (
	`id` text PRIMARY KEY NOT NULL,
	`names` text NOT NULL,
	`certificate` text NOT NULL,
	`private_key_encrypted` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `certificates` (
	`id` text PRIMARY KEY NOT NULL,
	`purpose` text NOT NULL,
	`issuer` text NOT NULL,
	`names` text NOT NULL,
	`chain` text NOT NULL,
	`private_key_encrypted` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `certificates_purpose` ON `certificates` (`purpose`,`id`);--> statement-breakpoint
CREATE TABLE `channels` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`project_id` text NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`auto_distribute` integer NOT NULL,
	`notify_on_release` integer NOT NULL,
	`public` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `channels_project` ON `channels` (`project_id`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `channels_name` ON `channels` (`project_id`,`name`);--> statement-breakpoint
CREATE TABLE `downloads` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`project_id` text NOT NULL,
	`build_id` text NOT NULL,
	`channel_id` text,
	`release_id` text,
	`developer_id` text,
	`capability_id` text,
	`sdk_install_id` text,
	`user_agent` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
--> statement-breakpoint
CREATE INDEX `downloads_channel` ON `downloads` (`channel_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `downloads_release` ON `downloads` (`release_id`,`id`);--> statement-breakpoint
CREATE INDEX `downloads_takers` ON `downloads` (`release_id`,`developer_id`) WHERE developer_id is not null;--> statement-breakpoint
CREATE INDEX `downloads_project` ON `downloads` (`project_id`,`created_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `downloads_capability` ON `downloads` (`capability_id`);--> statement-breakpoint
CREATE INDEX `downloads_install` ON `downloads` (`sdk_install_id`,`release_id`,`id`) WHERE sdk_install_id is not null;--> statement-breakpoint
CREATE INDEX `downloads_tester` ON `downloads` (`channel_id`,`developer_id`,`id`);--> statement-breakpoint
CREATE INDEX `downloads_developer` ON `downloads` (`developer_id`) WHERE developer_id is not null;--> statement-breakpoint
CREATE TABLE `releases` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`project_id` text NOT NULL,
	`channel_id` text NOT NULL,
	`build_id` text NOT NULL,
	`release_notes` text,
	`mandatory` integer NOT NULL,
	`state` text NOT NULL,
	`created_at` integer NOT NULL,
	`created_by` text,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`build_id`) REFERENCES `builds`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`created_by`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
--> statement-breakpoint
CREATE INDEX `releases_channel` ON `releases` (`channel_id`,`id`);--> statement-breakpoint
CREATE INDEX `releases_build` ON `releases` (`build_id`);--> statement-breakpoint
CREATE INDEX `releases_channel_active` ON `releases` (`channel_id`,`id`) WHERE state = 'active';--> statement-breakpoint
CREATE INDEX `releases_channel_mandatory` ON `releases` (`channel_id`,`id`) WHERE state = 'active' and mandatory = 1;--> statement-breakpoint
CREATE INDEX `releases_project_active` ON `releases` (`project_id`,`id`) WHERE state = 'active';--> statement-breakpoint
CREATE TABLE `device_challenges` (
	`id` text PRIMARY KEY NOT NULL,
	`enrollment_id` text NOT NULL,
	`consumed_at` integer NOT NULL,
	FOREIGN KEY (`enrollment_id`) REFERENCES `device_enrollments`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `device_challenges_enrollment` ON `device_challenges` (`enrollment_id`);--> statement-breakpoint
CREATE TABLE `device_enrollments` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`token_hash` text NOT NULL,
	`name` text,
	`developer_id` text,
	`created_by` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`created_by`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `device_enrollments_token` ON `device_enrollments` (`token_hash`);--> statement-breakpoint
CREATE INDEX `device_enrollments_organization` ON `device_enrollments` (`organization_id`,`expires_at`);--> statement-breakpoint
CREATE INDEX `device_enrollments_developer` ON `device_enrollments` (`developer_id`);--> statement-breakpoint
CREATE INDEX `device_enrollments_expires_at` ON `device_enrollments` (`expires_at`);--> statement-breakpoint
CREATE TABLE `devices` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`udid` text NOT NULL,
	`name` text NOT NULL,
	`product` text,
	`os_build` text,
	`developer_id` text,
	`registered_at` integer NOT NULL,
	`enrolled_at` integer,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `devices_udid` ON `devices` (`organization_id`,`udid`);--> statement-breakpoint
CREATE INDEX `devices_organization` ON `devices` (`organization_id`,`id`);--> statement-breakpoint
CREATE INDEX `devices_developer` ON `devices` (`developer_id`);--> statement-breakpoint
CREATE TABLE `expiry_notices` (
	`organization_id` text NOT NULL,
	`subject` text NOT NULL,
	`developer_id` text NOT NULL,
	`threshold_days` integer NOT NULL,
	`sent_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `subject`, `developer_id`, `threshold_days`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE TABLE `feature_flags` (
	`id` text PRIMARY KEY NOT NULL,
	`key` text NOT NULL,
	`organization_id` text,
	`enabled` integer NOT NULL,
	`archived_at` integer,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `feature_flags_platform` ON `feature_flags` (`key`) WHERE "feature_flags"."organization_id" is null;--> statement-breakpoint
CREATE UNIQUE INDEX `feature_flags_organization` ON `feature_flags` (`key`,`organization_id`);--> statement-breakpoint
CREATE TABLE `account_links` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`developer_id` text NOT NULL,
	`email` text NOT NULL,
	`password_hash` text,
	`display_name` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`consumed_at` integer,
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `account_links_developer` ON `account_links` (`developer_id`,`kind`);--> statement-breakpoint
CREATE INDEX `account_links_expires_at` ON `account_links` (`expires_at`);--> statement-breakpoint
CREATE TABLE `challenges` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`developer_id` text,
	`token_hash` text,
	`data` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`consumed_at` integer,
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `challenges_token` ON `challenges` (`token_hash`);--> statement-breakpoint
CREATE INDEX `challenges_expires_at` ON `challenges` (`expires_at`);--> statement-breakpoint
CREATE TABLE `data_exports` (
	`id` text PRIMARY KEY NOT NULL,
	`developer_id` text NOT NULL,
	`state` text NOT NULL,
	`object_key` text,
	`size_bytes` integer,
	`downloads` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`ready_at` integer,
	`expires_at` integer,
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `data_exports_developer` ON `data_exports` (`developer_id`,`id`);--> statement-breakpoint
CREATE TABLE `guess_counters` (
	`developer_id` text NOT NULL,
	`kind` text NOT NULL,
	`failures` integer NOT NULL,
	`last_failure_at` integer NOT NULL,
	PRIMARY KEY(`developer_id`, `kind`),
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE TABLE `known_networks` (
	`developer_id` text NOT NULL,
	`network_hash` text NOT NULL,
	`seen_at` integer NOT NULL,
	PRIMARY KEY(`developer_id`, `network_hash`),
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `known_networks_seen_at` ON `known_networks` (`seen_at`);--> statement-breakpoint
CREATE TABLE `mail_cooldowns` (
	`kind` text NOT NULL,
	`recipient` text NOT NULL,
	`sent_at` integer NOT NULL,
	PRIMARY KEY(`kind`, `recipient`)
) STRICT;
--> statement-breakpoint
CREATE INDEX `mail_cooldowns_sent_at` ON `mail_cooldowns` (`sent_at`);--> statement-breakpoint
CREATE TABLE `member_invitations` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`project_id` text,
	`email` text NOT NULL,
	`role` text NOT NULL,
	`token_hash` text NOT NULL,
	`invited_by` text,
	`created_at` integer NOT NULL,
	`sent_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`accepted_at` integer,
	`accepted_by` text,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`invited_by`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`accepted_by`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `member_invitations_token` ON `member_invitations` (`token_hash`);--> statement-breakpoint
CREATE INDEX `member_invitations_organization` ON `member_invitations` (`organization_id`,`id`);--> statement-breakpoint
CREATE INDEX `member_invitations_project` ON `member_invitations` (`project_id`,`id`);--> statement-breakpoint
CREATE INDEX `member_invitations_email` ON `member_invitations` (`email`);--> statement-breakpoint
CREATE INDEX `member_invitations_expires_at` ON `member_invitations` (`expires_at`);--> statement-breakpoint
CREATE TABLE `passkey_handles` (
	`developer_id` text PRIMARY KEY NOT NULL,
	`handle` text NOT NULL,
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `passkey_handles_handle` ON `passkey_handles` (`handle`);--> statement-breakpoint
CREATE TABLE `passkeys` (
	`id` text PRIMARY KEY NOT NULL,
	`developer_id` text NOT NULL,
	`name` text NOT NULL,
	`credential_id` text NOT NULL,
	`public_key` text NOT NULL,
	`counter` integer NOT NULL,
	`transports` text NOT NULL,
	`is_backed_up` integer NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `passkeys_credential` ON `passkeys` (`credential_id`);--> statement-breakpoint
CREATE INDEX `passkeys_developer` ON `passkeys` (`developer_id`,`id`);--> statement-breakpoint
CREATE TABLE `password_guesses` (
	`subject` text PRIMARY KEY NOT NULL,
	`failures` integer NOT NULL,
	`last_failure_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `password_guesses_last_failure_at` ON `password_guesses` (`last_failure_at`);--> statement-breakpoint
CREATE TABLE `recovery_codes` (
	`id` text PRIMARY KEY NOT NULL,
	`developer_id` text NOT NULL,
	`code_hash` text NOT NULL,
	`consumed_at` integer,
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `recovery_codes_code` ON `recovery_codes` (`developer_id`,`code_hash`);--> statement-breakpoint
CREATE TABLE `sso_connections` (
	`organization_id` text PRIMARY KEY NOT NULL,
	`entity_id` text NOT NULL,
	`sso_url` text NOT NULL,
	`slo_url` text,
	`certificates` text NOT NULL,
	`is_enabled` integer NOT NULL,
	`is_required` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE TABLE `sso_domains` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`domain` text NOT NULL,
	`verification_token` text NOT NULL,
	`verified_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `sso_domains_claim` ON `sso_domains` (`organization_id`,`domain`);--> statement-breakpoint
CREATE UNIQUE INDEX `sso_domains_verified` ON `sso_domains` (`domain`) WHERE verified_at IS NOT NULL;--> statement-breakpoint
CREATE TABLE `sso_identities` (
	`organization_id` text NOT NULL,
	`entity_id` text NOT NULL,
	`name_id` text NOT NULL,
	`developer_id` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `entity_id`, `name_id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `sso_identities_developer` ON `sso_identities` (`developer_id`);--> statement-breakpoint
CREATE TABLE `sso_keys` (
	`organization_id` text PRIMARY KEY NOT NULL,
	`certificate` text NOT NULL,
	`private_key_encrypted` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE TABLE `sso_replays` (
	`id` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `sso_replays_expires_at` ON `sso_replays` (`expires_at`);--> statement-breakpoint
CREATE TABLE `sso_sessions` (
	`session_id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`entity_id` text NOT NULL,
	`name_id` text NOT NULL,
	`name_id_format` text,
	`session_index` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `sso_sessions_name_id` ON `sso_sessions` (`organization_id`,`entity_id`,`name_id`);--> statement-breakpoint
CREATE TABLE `totp_factors` (
	`developer_id` text PRIMARY KEY NOT NULL,
	`secret_encrypted` text NOT NULL,
	`confirmed_at` integer,
	`last_step` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE TABLE `audit_checkpoints` (
	`chain` text PRIMARY KEY NOT NULL,
	`sequence` integer NOT NULL,
	`hash` text NOT NULL,
	`trimmed_at` integer NOT NULL,
	`seal` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `audit_events` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text,
	`developer_id` text,
	`timestamp` integer NOT NULL,
	`event` text NOT NULL,
	`type` text NOT NULL,
	`identifier` text NOT NULL,
	`actor_kind` text NOT NULL,
	`actor_id` text,
	`actor_name` text,
	`ip_address` text,
	`details` text NOT NULL,
	`chain` text NOT NULL,
	`sequence` integer NOT NULL,
	`hash` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `audit_events_chain` ON `audit_events` (`chain`,`sequence`);--> statement-breakpoint
CREATE INDEX `audit_events_organization` ON `audit_events` (`organization_id`,`timestamp`);--> statement-breakpoint
CREATE INDEX `audit_events_developer` ON `audit_events` (`developer_id`,`timestamp`);--> statement-breakpoint
CREATE TABLE `jobs` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`payload` text NOT NULL,
	`dedupe_key` text,
	`run_at` integer NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`max_attempts` integer NOT NULL,
	`leased_until` integer,
	`last_error` text,
	`state` text NOT NULL,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `jobs_due` ON `jobs` (`state`,`run_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `jobs_dedupe` ON `jobs` (`dedupe_key`);--> statement-breakpoint
CREATE TABLE `outbox_events` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`project_id` text,
	`type` text NOT NULL,
	`data` text NOT NULL,
	`details` text NOT NULL,
	`created_at` integer NOT NULL,
	`fanned_out_at` integer
) STRICT;
--> statement-breakpoint
CREATE INDEX `outbox_events_open` ON `outbox_events` (`fanned_out_at`,`id`);--> statement-breakpoint
CREATE INDEX `outbox_events_age` ON `outbox_events` (`created_at`);--> statement-breakpoint
CREATE TABLE `outbox_mails` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`recipient` text NOT NULL,
	`subject` text NOT NULL,
	`text` text NOT NULL,
	`html` text NOT NULL,
	`headers` text DEFAULT '{}' NOT NULL,
	`state` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`next_attempt_at` integer NOT NULL,
	`last_error` text,
	`created_at` integer NOT NULL,
	`sent_at` integer
) STRICT;
--> statement-breakpoint
CREATE INDEX `outbox_mails_state` ON `outbox_mails` (`state`,`next_attempt_at`);--> statement-breakpoint
CREATE INDEX `outbox_mails_recipient` ON `outbox_mails` (`recipient`,`kind`,`created_at`);--> statement-breakpoint
CREATE TABLE `sweep_runs` (
	`name` text PRIMARY KEY NOT NULL,
	`started_at` integer NOT NULL,
	`duration_ms` integer NOT NULL,
	`removed` integer NOT NULL,
	`error` text
) STRICT;
--> statement-breakpoint
CREATE TABLE `organization_memberships` (
	`organization_id` text NOT NULL,
	`developer_id` text NOT NULL,
	`role` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `developer_id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `organization_memberships_developer` ON `organization_memberships` (`developer_id`);--> statement-breakpoint
CREATE TABLE `organizations` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`tier` text NOT NULL,
	`created_by` text,
	`created_at` integer NOT NULL,
	`icon_key` text,
	`icon_type` text,
	`lock_reason` text,
	`mfa_required_at` integer,
	`mfa_grace_period_days` integer DEFAULT 0 NOT NULL,
	`mfa_passkey_satisfies` integer DEFAULT true NOT NULL,
	FOREIGN KEY (`created_by`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
--> statement-breakpoint
CREATE TABLE `personal_access_tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`developer_id` text NOT NULL,
	`name` text NOT NULL,
	`scopes` text NOT NULL,
	`token_hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`rotated_at` integer,
	`revoked_at` integer,
	`last_used_at` integer,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `personal_access_tokens_hash` ON `personal_access_tokens` (`token_hash`);--> statement-breakpoint
CREATE INDEX `personal_access_tokens_owner` ON `personal_access_tokens` (`organization_id`,`developer_id`,`id`);--> statement-breakpoint
CREATE INDEX `personal_access_tokens_organization` ON `personal_access_tokens` (`organization_id`,`id`);--> statement-breakpoint
CREATE TABLE `project_access_tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`project_id` text NOT NULL,
	`name` text NOT NULL,
	`role` text NOT NULL,
	`token_hash` text NOT NULL,
	`created_by` text,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`rotated_at` integer,
	`revoked_at` integer,
	`last_used_at` integer,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`created_by`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `project_access_tokens_hash` ON `project_access_tokens` (`token_hash`);--> statement-breakpoint
CREATE INDEX `project_access_tokens_project` ON `project_access_tokens` (`project_id`,`id`);--> statement-breakpoint
CREATE TABLE `project_memberships` (
	`project_id` text NOT NULL,
	`developer_id` text NOT NULL,
	`role` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`project_id`, `developer_id`),
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `project_memberships_developer` ON `project_memberships` (`developer_id`);--> statement-breakpoint
CREATE TABLE `projects` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`name` text NOT NULL,
	`platform` text NOT NULL,
	`description` text,
	`bundle_identifier` text,
	`created_by` text,
	`created_at` integer NOT NULL,
	`icon_key` text,
	`icon_type` text,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`created_by`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
--> statement-breakpoint
CREATE INDEX `projects_organization` ON `projects` (`organization_id`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `projects_name` ON `projects` (`organization_id`,`platform`,`name`);--> statement-breakpoint
CREATE TABLE `mfa_reminders` (
	`organization_id` text NOT NULL,
	`developer_id` text NOT NULL,
	`grace_ends_at` integer NOT NULL,
	`stage_days` integer NOT NULL,
	`sent_at` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `developer_id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `mfa_reminders_developer` ON `mfa_reminders` (`developer_id`);--> statement-breakpoint
CREATE TABLE `sdk_apps` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`project_id` text NOT NULL,
	`channel_id` text NOT NULL,
	`name` text NOT NULL,
	`app_key` text NOT NULL,
	`secret_hash` text NOT NULL,
	`install_count` integer DEFAULT 0 NOT NULL,
	`created_by` text,
	`created_at` integer NOT NULL,
	`secret_rotated_at` integer,
	`revoked_at` integer,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`created_by`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `sdk_apps_key` ON `sdk_apps` (`app_key`);--> statement-breakpoint
CREATE INDEX `sdk_apps_project` ON `sdk_apps` (`project_id`,`id`);--> statement-breakpoint
CREATE INDEX `sdk_apps_channel` ON `sdk_apps` (`channel_id`);--> statement-breakpoint
CREATE TABLE `sdk_installs` (
	`id` text PRIMARY KEY NOT NULL,
	`sdk_app_id` text NOT NULL,
	`install_id` text NOT NULL,
	`bundle_identifier` text,
	`device_model` text,
	`os_version` text,
	`version_name` text,
	`build_number` integer,
	`enrolled_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `sdk_installs_identity` ON `sdk_installs` (`sdk_app_id`,`install_id`);--> statement-breakpoint
CREATE INDEX `sdk_installs_app` ON `sdk_installs` (`sdk_app_id`,`id`);--> statement-breakpoint
CREATE TABLE `sdk_reports` (
	`id` text PRIMARY KEY NOT NULL,
	`install_row_id` text NOT NULL,
	`release_id` text NOT NULL,
	`state` text NOT NULL,
	`error` text,
	`follows_download` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`install_row_id`) REFERENCES `sdk_installs`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `sdk_reports_install` ON `sdk_reports` (`install_row_id`,`release_id`);--> statement-breakpoint
CREATE INDEX `sdk_reports_release` ON `sdk_reports` (`release_id`,`id`);--> statement-breakpoint
CREATE INDEX `sdk_reports_first` ON `sdk_reports` (`release_id`,`id`) WHERE follows_download = 0;--> statement-breakpoint
CREATE INDEX `sdk_reports_state` ON `sdk_reports` (`release_id`,`state`);--> statement-breakpoint
CREATE TABLE `sdk_tokens` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`install_row_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`replaced_at` integer,
	`seen_at` integer NOT NULL,
	`version_name` text,
	`build_number` integer,
	FOREIGN KEY (`install_row_id`) REFERENCES `sdk_installs`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `sdk_tokens_install` ON `sdk_tokens` (`install_row_id`,`expires_at`);--> statement-breakpoint
CREATE INDEX `sdk_tokens_expires_at` ON `sdk_tokens` (`expires_at`);--> statement-breakpoint
CREATE TABLE `channel_invitations` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`project_id` text NOT NULL,
	`channel_id` text NOT NULL,
	`email` text,
	`token_hash` text NOT NULL,
	`invited_by` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`accepted_at` integer,
	`accepted_by` text,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`invited_by`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`accepted_by`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `channel_invitations_token` ON `channel_invitations` (`token_hash`);--> statement-breakpoint
CREATE INDEX `channel_invitations_channel` ON `channel_invitations` (`channel_id`,`id`);--> statement-breakpoint
CREATE INDEX `channel_invitations_email` ON `channel_invitations` (`email`);--> statement-breakpoint
CREATE INDEX `channel_invitations_expires_at` ON `channel_invitations` (`expires_at`);--> statement-breakpoint
CREATE INDEX `channel_invitations_organization` ON `channel_invitations` (`organization_id`);--> statement-breakpoint
CREATE INDEX `channel_invitations_project` ON `channel_invitations` (`project_id`);--> statement-breakpoint
CREATE TABLE `channel_mutes` (
	`channel_id` text NOT NULL,
	`developer_id` text NOT NULL,
	`muted_at` integer NOT NULL,
	PRIMARY KEY(`channel_id`, `developer_id`),
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `channel_mutes_developer` ON `channel_mutes` (`developer_id`);--> statement-breakpoint
CREATE TABLE `release_announcements` (
	`release_id` text PRIMARY KEY NOT NULL,
	`after_developer_id` text NOT NULL,
	`mailed` integer NOT NULL,
	`created_at` integer NOT NULL,
	`finished_at` integer,
	FOREIGN KEY (`release_id`) REFERENCES `releases`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `release_announcements_finished_at` ON `release_announcements` (`finished_at`);--> statement-breakpoint
CREATE TABLE `release_notifications` (
	`release_id` text NOT NULL,
	`developer_id` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`release_id`, `developer_id`),
	FOREIGN KEY (`release_id`) REFERENCES `releases`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE INDEX `release_notifications_developer` ON `release_notifications` (`developer_id`);--> statement-breakpoint
CREATE TABLE `tester_grants` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`project_id` text,
	`channel_id` text,
	`target_id` text NOT NULL,
	`email` text NOT NULL,
	`developer_id` text,
	`granted_by` text,
	`created_at` integer NOT NULL,
	`attached_at` integer,
	`notified_at` integer NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`granted_by`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `tester_grants_developer` ON `tester_grants` (`target_id`,`developer_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `tester_grants_pending` ON `tester_grants` (`target_id`,`email`) WHERE developer_id is null;--> statement-breakpoint
CREATE INDEX `tester_grants_target` ON `tester_grants` (`target_id`,`id`);--> statement-breakpoint
CREATE INDEX `tester_grants_reach` ON `tester_grants` (`developer_id`,`target_id`);--> statement-breakpoint
CREATE INDEX `tester_grants_email` ON `tester_grants` (`email`);--> statement-breakpoint
CREATE INDEX `tester_grants_organization` ON `tester_grants` (`organization_id`);--> statement-breakpoint
CREATE INDEX `tester_grants_project` ON `tester_grants` (`project_id`);--> statement-breakpoint
CREATE INDEX `tester_grants_channel` ON `tester_grants` (`channel_id`);--> statement-breakpoint
CREATE TABLE `tester_group_grants` (
	`id` text PRIMARY KEY NOT NULL,
	`group_id` text NOT NULL,
	`organization_id` text NOT NULL,
	`project_id` text NOT NULL,
	`channel_id` text,
	`target_id` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`group_id`) REFERENCES `tester_groups`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `tester_group_grants_target` ON `tester_group_grants` (`group_id`,`target_id`);--> statement-breakpoint
CREATE INDEX `tester_group_grants_group` ON `tester_group_grants` (`group_id`,`id`);--> statement-breakpoint
CREATE INDEX `tester_group_grants_reach` ON `tester_group_grants` (`target_id`,`group_id`);--> statement-breakpoint
CREATE INDEX `tester_group_grants_organization` ON `tester_group_grants` (`organization_id`);--> statement-breakpoint
CREATE INDEX `tester_group_grants_project` ON `tester_group_grants` (`project_id`);--> statement-breakpoint
CREATE INDEX `tester_group_grants_channel` ON `tester_group_grants` (`channel_id`);--> statement-breakpoint
CREATE TABLE `tester_group_members` (
	`id` text PRIMARY KEY NOT NULL,
	`group_id` text NOT NULL,
	`email` text NOT NULL,
	`developer_id` text,
	`created_at` integer NOT NULL,
	`attached_at` integer,
	FOREIGN KEY (`group_id`) REFERENCES `tester_groups`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `tester_group_members_developer` ON `tester_group_members` (`group_id`,`developer_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `tester_group_members_pending` ON `tester_group_members` (`group_id`,`email`) WHERE developer_id is null;--> statement-breakpoint
CREATE INDEX `tester_group_members_group` ON `tester_group_members` (`group_id`,`id`);--> statement-breakpoint
CREATE INDEX `tester_group_members_reach` ON `tester_group_members` (`developer_id`,`group_id`);--> statement-breakpoint
CREATE INDEX `tester_group_members_email` ON `tester_group_members` (`email`);--> statement-breakpoint
CREATE TABLE `tester_groups` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`name` text NOT NULL,
	`notify_on_release` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `tester_groups_name` ON `tester_groups` (`organization_id`,`name`);--> statement-breakpoint
CREATE INDEX `tester_groups_organization` ON `tester_groups` (`organization_id`,`id`);--> statement-breakpoint
CREATE TABLE `webhook_deliveries` (
	`id` text PRIMARY KEY NOT NULL,
	`subscription_id` text NOT NULL,
	`event_id` text NOT NULL,
	`status` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`last_status_code` integer,
	`last_error` text,
	`next_attempt_at` integer,
	`created_at` integer NOT NULL,
	`delivered_at` integer,
	FOREIGN KEY (`event_id`) REFERENCES `outbox_events`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `webhook_deliveries_log` ON `webhook_deliveries` (`subscription_id`,`id`);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_status` ON `webhook_deliveries` (`subscription_id`,`status`,`id`);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_due` ON `webhook_deliveries` (`subscription_id`,`next_attempt_at`) WHERE next_attempt_at is not null;--> statement-breakpoint
CREATE INDEX `webhook_deliveries_event` ON `webhook_deliveries` (`event_id`);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_age` ON `webhook_deliveries` (`created_at`);--> statement-breakpoint
CREATE TABLE `webhook_subscriptions` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`project_id` text,
	`sealed_url` text NOT NULL,
	`events` text NOT NULL,
	`format` text NOT NULL,
	`description` text,
	`active` integer NOT NULL,
	`sealed_secret` text NOT NULL,
	`created_at` integer NOT NULL,
	`created_by` text,
	`rotated_at` integer,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`created_by`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
--> statement-breakpoint
CREATE INDEX `webhook_subscriptions_organization` ON `webhook_subscriptions` (`organization_id`,`id`);