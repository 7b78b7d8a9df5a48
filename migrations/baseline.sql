-- Tables after 0049_downloads_of_deleted_projects. Written by scripts/baseline.
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
, `known_good_at` integer, `is_contested` integer DEFAULT false NOT NULL, `passkey_offer_closed_at` integer, `vouched_at` integer) STRICT;
CREATE UNIQUE INDEX `developers_email` ON `developers` (`email`);
CREATE TABLE `refresh_tokens` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`consumed_at` integer,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE INDEX `refresh_tokens_session` ON `refresh_tokens` (`session_id`);
CREATE INDEX `refresh_tokens_expires_at` ON `refresh_tokens` (`expires_at`);
CREATE TABLE `sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`developer_id` text NOT NULL,
	`user_agent` text,
	`ip_address` text,
	`created_at` integer NOT NULL,
	`last_used_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`revoked_at` integer, `sign_in_method` text,
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE INDEX `sessions_developer` ON `sessions` (`developer_id`,`id`);
CREATE INDEX `sessions_expires_at` ON `sessions` (`expires_at`);
CREATE TABLE `setup_links` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`consumed_at` integer
) STRICT;
CREATE TABLE `signing_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`public_key` text NOT NULL,
	`private_key_encrypted` text NOT NULL,
	`created_at` integer NOT NULL,
	`retired_at` integer
) STRICT;
CREATE TABLE `build_facts` (
	`build_id` text PRIMARY KEY NOT NULL,
	`content` text NOT NULL,
	`profile_expires_at` integer,
	`certificate_expires_at` integer,
	`provisioned_devices` text,
	FOREIGN KEY (`build_id`) REFERENCES `builds`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE INDEX `build_facts_profile_expires_at` ON `build_facts` (`profile_expires_at`);
CREATE INDEX `build_facts_certificate_expires_at` ON `build_facts` (`certificate_expires_at`);
CREATE TABLE `build_inspections` (
	`build_id` text PRIMARY KEY NOT NULL,
	`content` text,
	`reason` text,
	FOREIGN KEY (`build_id`) REFERENCES `builds`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
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
	`pending_upload_id` text NOT NULL, `package_build_number` text, `icon_color` text, `version_key` text DEFAULT '' NOT NULL, `uploaded_by_token` text, `source_commit` text, `source_branch` text, `source_tag` text, `source_pull_request` integer, `source_repository_url` text, `source_run_url` text, `source_author` text, `pinned_at` integer,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`uploaded_by_developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
CREATE UNIQUE INDEX `builds_identity` ON `builds` (`project_id`,`version_name`,`build_number`);
CREATE UNIQUE INDEX `builds_pending_upload` ON `builds` (`pending_upload_id`);
CREATE INDEX `builds_project` ON `builds` (`project_id`,`id`);
CREATE INDEX `builds_age` ON `builds` (`organization_id`,`uploaded_at`);
CREATE INDEX `builds_project_active` ON `builds` (`project_id`,`id`) WHERE revoked_at is null;
CREATE INDEX `builds_project_revoked` ON `builds` (`project_id`,`id`) WHERE revoked_at is not null;
CREATE TABLE `doomed_objects` (
	`object_key` text PRIMARY KEY NOT NULL,
	`doomed_at` integer NOT NULL
) STRICT;
CREATE TABLE `object_walks` (
	`prefix` text PRIMARY KEY NOT NULL,
	`after` text NOT NULL
) STRICT;
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
CREATE TABLE `certificate_authorities` (
	`id` text PRIMARY KEY NOT NULL,
	`names` text NOT NULL,
	`certificate` text NOT NULL,
	`private_key_encrypted` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL
) STRICT;
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
CREATE INDEX `certificates_purpose` ON `certificates` (`purpose`,`id`);
CREATE TABLE `channels` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`project_id` text NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`auto_distribute` integer NOT NULL,
	`notify_on_release` integer NOT NULL,
	`public` integer NOT NULL,
	`created_at` integer NOT NULL, `slug` text, `allow_device_registration` integer DEFAULT false NOT NULL, `sibling_name` text, `keep_last` integer, `keep_days` integer,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE INDEX `channels_project` ON `channels` (`project_id`,`id`);
CREATE UNIQUE INDEX `channels_name` ON `channels` (`project_id`,`name`);
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
CREATE INDEX `downloads_channel` ON `downloads` (`channel_id`,`created_at`);
CREATE INDEX `downloads_release` ON `downloads` (`release_id`,`id`);
CREATE INDEX `downloads_takers` ON `downloads` (`release_id`,`developer_id`) WHERE developer_id is not null;
CREATE INDEX `downloads_project` ON `downloads` (`project_id`,`created_at`);
CREATE UNIQUE INDEX `downloads_capability` ON `downloads` (`capability_id`);
CREATE INDEX `downloads_install` ON `downloads` (`sdk_install_id`,`release_id`,`id`) WHERE sdk_install_id is not null;
CREATE INDEX `downloads_tester` ON `downloads` (`channel_id`,`developer_id`,`id`);
CREATE INDEX `downloads_developer` ON `downloads` (`developer_id`) WHERE developer_id is not null;
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
	`created_by` text, `created_by_token` text, `is_automatic` integer DEFAULT false NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`build_id`) REFERENCES `builds`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`created_by`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
CREATE INDEX `releases_channel` ON `releases` (`channel_id`,`id`);
CREATE INDEX `releases_channel_active` ON `releases` (`channel_id`,`id`) WHERE state = 'active';
CREATE INDEX `releases_channel_mandatory` ON `releases` (`channel_id`,`id`) WHERE state = 'active' and mandatory = 1;
CREATE INDEX `releases_project_active` ON `releases` (`project_id`,`id`) WHERE state = 'active';
CREATE TABLE `device_challenges` (
	`id` text PRIMARY KEY NOT NULL,
	`enrollment_id` text NOT NULL,
	`consumed_at` integer NOT NULL,
	FOREIGN KEY (`enrollment_id`) REFERENCES `device_enrollments`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE INDEX `device_challenges_enrollment` ON `device_challenges` (`enrollment_id`);
CREATE TABLE `device_enrollments` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`token_hash` text NOT NULL,
	`name` text,
	`developer_id` text,
	`created_by` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL, `channel_id` text REFERENCES channels(id) ON DELETE cascade, `short_address` integer DEFAULT false NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`created_by`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
CREATE UNIQUE INDEX `device_enrollments_token` ON `device_enrollments` (`token_hash`);
CREATE INDEX `device_enrollments_organization` ON `device_enrollments` (`organization_id`,`expires_at`);
CREATE INDEX `device_enrollments_developer` ON `device_enrollments` (`developer_id`);
CREATE INDEX `device_enrollments_expires_at` ON `device_enrollments` (`expires_at`);
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
CREATE UNIQUE INDEX `devices_udid` ON `devices` (`organization_id`,`udid`);
CREATE INDEX `devices_organization` ON `devices` (`organization_id`,`id`);
CREATE INDEX `devices_developer` ON `devices` (`developer_id`);
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
CREATE TABLE `feature_flags` (
	`id` text PRIMARY KEY NOT NULL,
	`key` text NOT NULL,
	`organization_id` text,
	`enabled` integer NOT NULL,
	`archived_at` integer,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE UNIQUE INDEX `feature_flags_platform` ON `feature_flags` (`key`) WHERE "feature_flags"."organization_id" is null;
CREATE UNIQUE INDEX `feature_flags_organization` ON `feature_flags` (`key`,`organization_id`);
CREATE TABLE `account_links` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`developer_id` text NOT NULL,
	`email` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`consumed_at` integer,
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE INDEX `account_links_developer` ON `account_links` (`developer_id`,`kind`);
CREATE INDEX `account_links_expires_at` ON `account_links` (`expires_at`);
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
CREATE UNIQUE INDEX `challenges_token` ON `challenges` (`token_hash`);
CREATE INDEX `challenges_expires_at` ON `challenges` (`expires_at`);
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
CREATE INDEX `data_exports_developer` ON `data_exports` (`developer_id`,`id`);
CREATE TABLE `guess_counters` (
	`developer_id` text NOT NULL,
	`kind` text NOT NULL,
	`failures` integer NOT NULL,
	`last_failure_at` integer NOT NULL,
	PRIMARY KEY(`developer_id`, `kind`),
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE TABLE `known_networks` (
	`developer_id` text NOT NULL,
	`network_hash` text NOT NULL,
	`seen_at` integer NOT NULL,
	PRIMARY KEY(`developer_id`, `network_hash`),
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE INDEX `known_networks_seen_at` ON `known_networks` (`seen_at`);
CREATE TABLE `mail_cooldowns` (
	`kind` text NOT NULL,
	`recipient` text NOT NULL,
	`sent_at` integer NOT NULL,
	PRIMARY KEY(`kind`, `recipient`)
) STRICT;
CREATE INDEX `mail_cooldowns_sent_at` ON `mail_cooldowns` (`sent_at`);
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
	`accepted_by` text, `backed_by` text REFERENCES developers(id) ON DELETE SET NULL, `projects` text DEFAULT '[]' NOT NULL, `mailed_token_hash` text, `mail_id` text, `declined_at` integer, `lapsed_at` integer,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`invited_by`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`accepted_by`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
CREATE UNIQUE INDEX `member_invitations_token` ON `member_invitations` (`token_hash`);
CREATE INDEX `member_invitations_organization` ON `member_invitations` (`organization_id`,`id`);
CREATE INDEX `member_invitations_project` ON `member_invitations` (`project_id`,`id`);
CREATE INDEX `member_invitations_expires_at` ON `member_invitations` (`expires_at`);
CREATE TABLE `passkey_handles` (
	`developer_id` text PRIMARY KEY NOT NULL,
	`handle` text NOT NULL,
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE UNIQUE INDEX `passkey_handles_handle` ON `passkey_handles` (`handle`);
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
	`last_used_at` integer, `suspended_at` integer,
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE UNIQUE INDEX `passkeys_credential` ON `passkeys` (`credential_id`);
CREATE INDEX `passkeys_developer` ON `passkeys` (`developer_id`,`id`);
CREATE TABLE `password_guesses` (
	`subject` text PRIMARY KEY NOT NULL,
	`failures` integer NOT NULL,
	`last_failure_at` integer NOT NULL
) STRICT;
CREATE INDEX `password_guesses_last_failure_at` ON `password_guesses` (`last_failure_at`);
CREATE TABLE `recovery_codes` (
	`id` text PRIMARY KEY NOT NULL,
	`developer_id` text NOT NULL,
	`code_hash` text NOT NULL,
	`consumed_at` integer,
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE UNIQUE INDEX `recovery_codes_code` ON `recovery_codes` (`developer_id`,`code_hash`);
CREATE TABLE `sso_connections` (
	`organization_id` text PRIMARY KEY NOT NULL,
	`entity_id` text NOT NULL,
	`sso_url` text NOT NULL,
	`slo_url` text,
	`certificates` text NOT NULL,
	`is_enabled` integer NOT NULL,
	`is_required` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL, `trust_changed_at` integer, `kind` text DEFAULT 'saml' NOT NULL, `client_id` text, `client_secret_encrypted` text, `client_authentication` text, `scopes` text, `email_claim` text, `name_claim` text, `accepts_unverified_email` integer DEFAULT false NOT NULL, `identity_key` text, `session_key` text,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE TABLE `sso_domains` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`domain` text NOT NULL,
	`verification_token` text NOT NULL,
	`verified_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE UNIQUE INDEX `sso_domains_claim` ON `sso_domains` (`organization_id`,`domain`);
CREATE UNIQUE INDEX `sso_domains_verified` ON `sso_domains` (`domain`) WHERE verified_at IS NOT NULL;
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
CREATE INDEX `sso_identities_developer` ON `sso_identities` (`developer_id`);
CREATE TABLE `sso_keys` (
	`organization_id` text PRIMARY KEY NOT NULL,
	`certificate` text NOT NULL,
	`private_key_encrypted` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE TABLE `sso_replays` (
	`id` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL
) STRICT;
CREATE INDEX `sso_replays_expires_at` ON `sso_replays` (`expires_at`);
CREATE TABLE `sso_sessions` (
	`session_id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`entity_id` text NOT NULL,
	`name_id` text NOT NULL,
	`name_id_format` text,
	`session_index` text,
	`created_at` integer NOT NULL, `authenticated_at` integer, `id_token_encrypted` text,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE INDEX `sso_sessions_name_id` ON `sso_sessions` (`organization_id`,`entity_id`,`name_id`);
CREATE TABLE `totp_factors` (
	`developer_id` text PRIMARY KEY NOT NULL,
	`secret_encrypted` text NOT NULL,
	`confirmed_at` integer,
	`last_step` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL, `begun_by_session` text,
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE TABLE `audit_checkpoints` (
	`chain` text PRIMARY KEY NOT NULL,
	`sequence` integer NOT NULL,
	`hash` text NOT NULL,
	`trimmed_at` integer NOT NULL,
	`seal` text NOT NULL
) STRICT;
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
CREATE UNIQUE INDEX `audit_events_chain` ON `audit_events` (`chain`,`sequence`);
CREATE INDEX `audit_events_organization` ON `audit_events` (`organization_id`,`timestamp`);
CREATE INDEX `audit_events_developer` ON `audit_events` (`developer_id`,`timestamp`);
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
CREATE UNIQUE INDEX `jobs_dedupe` ON `jobs` (`dedupe_key`);
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
CREATE INDEX `outbox_events_open` ON `outbox_events` (`fanned_out_at`,`id`);
CREATE INDEX `outbox_events_age` ON `outbox_events` (`created_at`);
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
CREATE INDEX `outbox_mails_state` ON `outbox_mails` (`state`,`next_attempt_at`);
CREATE INDEX `outbox_mails_recipient` ON `outbox_mails` (`recipient`,`kind`,`created_at`);
CREATE TABLE `sweep_runs` (
	`name` text PRIMARY KEY NOT NULL,
	`started_at` integer NOT NULL,
	`duration_ms` integer NOT NULL,
	`removed` integer NOT NULL,
	`error` text
) STRICT;
CREATE TABLE `organization_memberships` (
	`organization_id` text NOT NULL,
	`developer_id` text NOT NULL,
	`role` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `developer_id`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE INDEX `organization_memberships_developer` ON `organization_memberships` (`developer_id`);
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
	`mfa_passkey_satisfies` integer DEFAULT true NOT NULL, `icon_color` text, `allows_email_sign_in` integer DEFAULT true NOT NULL, `lock_advances_at` integer,
	FOREIGN KEY (`created_by`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
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
CREATE UNIQUE INDEX `personal_access_tokens_hash` ON `personal_access_tokens` (`token_hash`);
CREATE INDEX `personal_access_tokens_owner` ON `personal_access_tokens` (`organization_id`,`developer_id`,`id`);
CREATE INDEX `personal_access_tokens_organization` ON `personal_access_tokens` (`organization_id`,`id`);
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
	`last_used_at` integer, `owner_id` text REFERENCES developers(id) ON DELETE SET NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`created_by`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
CREATE UNIQUE INDEX `project_access_tokens_hash` ON `project_access_tokens` (`token_hash`);
CREATE INDEX `project_access_tokens_project` ON `project_access_tokens` (`project_id`,`id`);
CREATE TABLE `project_memberships` (
	`project_id` text NOT NULL,
	`developer_id` text NOT NULL,
	`role` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`project_id`, `developer_id`),
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE INDEX `project_memberships_developer` ON `project_memberships` (`developer_id`);
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
	`icon_type` text, `app_id` text, `is_draft` integer DEFAULT false NOT NULL, `size_budget_bytes` integer,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`created_by`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
CREATE INDEX `projects_organization` ON `projects` (`organization_id`,`id`);
CREATE UNIQUE INDEX `projects_name` ON `projects` (`organization_id`,`platform`,`name`);
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
CREATE INDEX `mfa_reminders_developer` ON `mfa_reminders` (`developer_id`);
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
CREATE UNIQUE INDEX `sdk_apps_key` ON `sdk_apps` (`app_key`);
CREATE INDEX `sdk_apps_project` ON `sdk_apps` (`project_id`,`id`);
CREATE INDEX `sdk_apps_channel` ON `sdk_apps` (`channel_id`);
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
CREATE UNIQUE INDEX `sdk_installs_identity` ON `sdk_installs` (`sdk_app_id`,`install_id`);
CREATE INDEX `sdk_installs_app` ON `sdk_installs` (`sdk_app_id`,`id`);
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
CREATE UNIQUE INDEX `sdk_reports_install` ON `sdk_reports` (`install_row_id`,`release_id`);
CREATE INDEX `sdk_reports_release` ON `sdk_reports` (`release_id`,`id`);
CREATE INDEX `sdk_reports_first` ON `sdk_reports` (`release_id`,`id`) WHERE follows_download = 0;
CREATE INDEX `sdk_reports_state` ON `sdk_reports` (`release_id`,`state`);
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
CREATE INDEX `sdk_tokens_install` ON `sdk_tokens` (`install_row_id`,`expires_at`);
CREATE INDEX `sdk_tokens_expires_at` ON `sdk_tokens` (`expires_at`);
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
	`accepted_by` text, `backed_by` text REFERENCES developers(id) ON DELETE SET NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`invited_by`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`accepted_by`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
CREATE UNIQUE INDEX `channel_invitations_token` ON `channel_invitations` (`token_hash`);
CREATE INDEX `channel_invitations_channel` ON `channel_invitations` (`channel_id`,`id`);
CREATE INDEX `channel_invitations_email` ON `channel_invitations` (`email`);
CREATE INDEX `channel_invitations_organization` ON `channel_invitations` (`organization_id`);
CREATE INDEX `channel_invitations_project` ON `channel_invitations` (`project_id`);
CREATE TABLE `channel_mutes` (
	`channel_id` text NOT NULL,
	`developer_id` text NOT NULL,
	`muted_at` integer NOT NULL,
	PRIMARY KEY(`channel_id`, `developer_id`),
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE INDEX `channel_mutes_developer` ON `channel_mutes` (`developer_id`);
CREATE TABLE `release_announcements` (
	`release_id` text PRIMARY KEY NOT NULL,
	`after_developer_id` text NOT NULL,
	`mailed` integer NOT NULL,
	`created_at` integer NOT NULL,
	`finished_at` integer,
	FOREIGN KEY (`release_id`) REFERENCES `releases`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE INDEX `release_announcements_finished_at` ON `release_announcements` (`finished_at`);
CREATE TABLE `release_notifications` (
	`release_id` text NOT NULL,
	`developer_id` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`release_id`, `developer_id`),
	FOREIGN KEY (`release_id`) REFERENCES `releases`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE INDEX `release_notifications_developer` ON `release_notifications` (`developer_id`);
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
	`notified_at` integer NOT NULL, `join_link_id` text REFERENCES `join_links`(`id`) ON DELETE set null,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`granted_by`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
CREATE UNIQUE INDEX `tester_grants_developer` ON `tester_grants` (`target_id`,`developer_id`);
CREATE UNIQUE INDEX `tester_grants_pending` ON `tester_grants` (`target_id`,`email`) WHERE developer_id is null;
CREATE INDEX `tester_grants_target` ON `tester_grants` (`target_id`,`id`);
CREATE INDEX `tester_grants_reach` ON `tester_grants` (`developer_id`,`target_id`);
CREATE INDEX `tester_grants_email` ON `tester_grants` (`email`);
CREATE INDEX `tester_grants_organization` ON `tester_grants` (`organization_id`);
CREATE INDEX `tester_grants_project` ON `tester_grants` (`project_id`);
CREATE INDEX `tester_grants_channel` ON `tester_grants` (`channel_id`);
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
CREATE UNIQUE INDEX `tester_group_grants_target` ON `tester_group_grants` (`group_id`,`target_id`);
CREATE INDEX `tester_group_grants_group` ON `tester_group_grants` (`group_id`,`id`);
CREATE INDEX `tester_group_grants_reach` ON `tester_group_grants` (`target_id`,`group_id`);
CREATE INDEX `tester_group_grants_organization` ON `tester_group_grants` (`organization_id`);
CREATE INDEX `tester_group_grants_project` ON `tester_group_grants` (`project_id`);
CREATE INDEX `tester_group_grants_channel` ON `tester_group_grants` (`channel_id`);
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
CREATE UNIQUE INDEX `tester_group_members_developer` ON `tester_group_members` (`group_id`,`developer_id`);
CREATE UNIQUE INDEX `tester_group_members_pending` ON `tester_group_members` (`group_id`,`email`) WHERE developer_id is null;
CREATE INDEX `tester_group_members_group` ON `tester_group_members` (`group_id`,`id`);
CREATE INDEX `tester_group_members_reach` ON `tester_group_members` (`developer_id`,`group_id`);
CREATE INDEX `tester_group_members_email` ON `tester_group_members` (`email`);
CREATE TABLE `tester_groups` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`name` text NOT NULL,
	`notify_on_release` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE UNIQUE INDEX `tester_groups_name` ON `tester_groups` (`organization_id`,`name`);
CREATE INDEX `tester_groups_organization` ON `tester_groups` (`organization_id`,`id`);
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
CREATE INDEX `webhook_deliveries_log` ON `webhook_deliveries` (`subscription_id`,`id`);
CREATE INDEX `webhook_deliveries_status` ON `webhook_deliveries` (`subscription_id`,`status`,`id`);
CREATE INDEX `webhook_deliveries_due` ON `webhook_deliveries` (`subscription_id`,`next_attempt_at`) WHERE next_attempt_at is not null;
CREATE INDEX `webhook_deliveries_event` ON `webhook_deliveries` (`event_id`);
CREATE INDEX `webhook_deliveries_age` ON `webhook_deliveries` (`created_at`);
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
CREATE INDEX `webhook_subscriptions_organization` ON `webhook_subscriptions` (`organization_id`,`id`);
CREATE INDEX `builds_project_number` ON `builds` (`project_id`,`build_number`);
CREATE INDEX `personal_access_tokens_developer` ON `personal_access_tokens` (`developer_id`,`id`);
CREATE INDEX `developers_operator` ON `developers` (`is_operator`) WHERE is_operator = 1;
CREATE INDEX `project_access_tokens_owner` ON `project_access_tokens` (`owner_id`,`organization_id`);
CREATE INDEX `channel_invitations_backed_by` ON `channel_invitations` (`backed_by`,`organization_id`);
CREATE TABLE `package_integrity` (
	`build_id` text PRIMARY KEY NOT NULL,
	`sha256` text,
	`modified_at` integer,
	`verified_at` integer NOT NULL,
	`problem` text,
	`problem_at` integer,
	FOREIGN KEY (`build_id`) REFERENCES `builds`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE INDEX `package_integrity_verified` ON `package_integrity` (`verified_at`);
CREATE INDEX `package_integrity_problem` ON `package_integrity` (`verified_at`) WHERE problem is not null;
CREATE TABLE `audit_notices` (
	`chain` text NOT NULL,
	`cutoff` integer NOT NULL,
	`announced_at` integer NOT NULL,
	PRIMARY KEY(`chain`, `cutoff`)
) STRICT;
CREATE TABLE `clock_state` (
	`id` integer PRIMARY KEY NOT NULL,
	`wall` integer NOT NULL,
	`boot_id` text NOT NULL,
	`since_boot_ms` integer NOT NULL,
	`skew_ms` integer NOT NULL,
	`hold_ms` integer NOT NULL,
	`jumped_from` integer,
	`jumped_to` integer
) STRICT;
CREATE TABLE `removals` (
	`root_id` text PRIMARY KEY NOT NULL,
	`root_table` text NOT NULL,
	`actor_kind` text NOT NULL,
	`actor_id` text,
	`actor_name` text,
	`developer_id` text,
	`ip_address` text,
	`facts` text NOT NULL,
	`created_at` integer NOT NULL
) STRICT;
CREATE INDEX `removals_created_at` ON `removals` (`created_at`);
CREATE INDEX `builds_uploaded_by` ON `builds` (`uploaded_by_developer_id`) WHERE uploaded_by_developer_id is not null;
CREATE INDEX `channels_organization` ON `channels` (`organization_id`);
CREATE INDEX `releases_organization` ON `releases` (`organization_id`);
CREATE INDEX `releases_project` ON `releases` (`project_id`);
CREATE INDEX `releases_created_by` ON `releases` (`created_by`) WHERE created_by is not null;
CREATE INDEX `device_enrollments_created_by` ON `device_enrollments` (`created_by`) WHERE created_by is not null;
CREATE INDEX `expiry_notices_developer` ON `expiry_notices` (`developer_id`);
CREATE INDEX `feature_flags_of` ON `feature_flags` (`organization_id`);
CREATE INDEX `challenges_developer` ON `challenges` (`developer_id`) WHERE developer_id is not null;
CREATE INDEX `mail_cooldowns_recipient` ON `mail_cooldowns` (`recipient`);
CREATE INDEX `member_invitations_invited_by` ON `member_invitations` (`invited_by`) WHERE invited_by is not null;
CREATE INDEX `member_invitations_accepted_by` ON `member_invitations` (`accepted_by`) WHERE accepted_by is not null;
CREATE INDEX `organizations_created_by` ON `organizations` (`created_by`) WHERE created_by is not null;
CREATE INDEX `project_access_tokens_organization` ON `project_access_tokens` (`organization_id`);
CREATE INDEX `project_access_tokens_created_by` ON `project_access_tokens` (`created_by`) WHERE created_by is not null;
CREATE INDEX `projects_created_by` ON `projects` (`created_by`) WHERE created_by is not null;
CREATE INDEX `sdk_apps_organization` ON `sdk_apps` (`organization_id`);
CREATE INDEX `sdk_apps_created_by` ON `sdk_apps` (`created_by`) WHERE created_by is not null;
CREATE INDEX `channel_invitations_invited_by` ON `channel_invitations` (`invited_by`) WHERE invited_by is not null;
CREATE INDEX `channel_invitations_accepted_by` ON `channel_invitations` (`accepted_by`) WHERE accepted_by is not null;
CREATE INDEX `tester_grants_granted_by` ON `tester_grants` (`granted_by`) WHERE granted_by is not null;
CREATE INDEX `webhook_subscriptions_created_by` ON `webhook_subscriptions` (`created_by`) WHERE created_by is not null;
CREATE INDEX `releases_build` ON `releases` (`build_id`,`id`,`channel_id`);
CREATE TABLE `download_totals` (
	`subject_id` text NOT NULL,
	`build_id` text NOT NULL,
	`downloads` integer NOT NULL,
	`first_at` integer NOT NULL,
	`last_at` integer NOT NULL,
	PRIMARY KEY(`subject_id`, `build_id`)
) STRICT;
CREATE TABLE `former_slugs` (
	`slug` text PRIMARY KEY NOT NULL,
	`channel_id` text NOT NULL,
	`retired_at` integer NOT NULL,
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE INDEX `former_slugs_channel` ON `former_slugs` (`channel_id`);
CREATE INDEX `former_slugs_retired_at` ON `former_slugs` (`retired_at`);
CREATE TABLE `access_requests` (
	`id` text PRIMARY KEY NOT NULL,
	`target_id` text NOT NULL,
	`channel_id` text,
	`organization_id` text,
	`developer_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`notified_at` integer,
	`declined_at` integer,
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE UNIQUE INDEX `access_requests_developer` ON `access_requests` (`developer_id`,`target_id`);
CREATE INDEX `access_requests_created_at` ON `access_requests` (`created_at`);
CREATE UNIQUE INDEX `channels_slug` ON `channels` (`slug`) WHERE slug is not null;
CREATE TABLE `waiting_devices` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`channel_id` text NOT NULL,
	`device_id` text NOT NULL,
	`created_at` integer NOT NULL, `is_unowned` integer DEFAULT false NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE UNIQUE INDEX `waiting_devices_device` ON `waiting_devices` (`device_id`,`channel_id`);
CREATE INDEX `waiting_devices_channel` ON `waiting_devices` (`channel_id`,`id`);
CREATE INDEX `waiting_devices_organization` ON `waiting_devices` (`organization_id`,`channel_id`,`created_at`);
CREATE INDEX `waiting_devices_created_at` ON `waiting_devices` (`created_at`);
CREATE INDEX `device_enrollments_channel` ON `device_enrollments` (`channel_id`) WHERE channel_id is not null;
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
CREATE UNIQUE INDEX `email_codes_token` ON `email_codes` (`token_hash`);
CREATE INDEX `email_codes_holder` ON `email_codes` (`holder_hash`,`id`);
CREATE INDEX `email_codes_email` ON `email_codes` (`email`,`created_at`);
CREATE INDEX `email_codes_expires_at` ON `email_codes` (`expires_at`);
CREATE TABLE `join_link_sign_ups` (
	`developer_id` text PRIMARY KEY NOT NULL,
	`join_link_id` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`join_link_id`) REFERENCES `join_links`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE INDEX `join_link_sign_ups_link` ON `join_link_sign_ups` (`join_link_id`);
CREATE TABLE `join_links` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`project_id` text NOT NULL,
	`channel_id` text NOT NULL,
	`label` text,
	`token_hash` text NOT NULL,
	`email_domain` text,
	`max_people` integer,
	`joined` integer NOT NULL,
	`created_by` text,
	`backed_by` text,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`revoked_at` integer,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`created_by`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE set null,
	FOREIGN KEY (`backed_by`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
CREATE UNIQUE INDEX `join_links_token` ON `join_links` (`token_hash`);
CREATE INDEX `join_links_channel` ON `join_links` (`channel_id`,`id`);
CREATE INDEX `join_links_project` ON `join_links` (`project_id`);
CREATE INDEX `join_links_backed_by` ON `join_links` (`backed_by`,`organization_id`);
CREATE INDEX `join_links_created_by` ON `join_links` (`created_by`) WHERE created_by is not null;
CREATE INDEX `join_links_expires_at` ON `join_links` (`expires_at`) WHERE expires_at is not null;
CREATE INDEX `join_links_revoked_at` ON `join_links` (`revoked_at`) WHERE revoked_at is not null;
CREATE TABLE `tester_removals` (
	`target_id` text NOT NULL,
	`developer_id` text NOT NULL,
	`organization_id` text NOT NULL,
	`removed_at` integer NOT NULL,
	PRIMARY KEY(`developer_id`, `target_id`),
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE INDEX `tester_removals_organization` ON `tester_removals` (`organization_id`,`removed_at`);
CREATE INDEX `tester_grants_join_link` ON `tester_grants` (`join_link_id`) WHERE join_link_id is not null;
CREATE TABLE `share_links` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`project_id` text NOT NULL,
	`channel_id` text,
	`build_id` text,
	`token_hash` text NOT NULL,
	`note` text,
	`password_hash` text,
	`expires_at` integer,
	`max_installs` integer,
	`installs` integer DEFAULT 0 NOT NULL,
	`created_by` text,
	`created_at` integer NOT NULL,
	`revoked_at` integer,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`build_id`) REFERENCES `builds`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`created_by`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
CREATE UNIQUE INDEX `share_links_token` ON `share_links` (`token_hash`);
CREATE INDEX `share_links_organization` ON `share_links` (`organization_id`);
CREATE INDEX `share_links_project` ON `share_links` (`project_id`,`id`);
CREATE INDEX `share_links_channel` ON `share_links` (`channel_id`,`id`) WHERE channel_id is not null;
CREATE INDEX `share_links_build` ON `share_links` (`build_id`,`id`) WHERE build_id is not null;
CREATE INDEX `share_links_created_by` ON `share_links` (`created_by`) WHERE created_by is not null;
CREATE INDEX `share_links_expires_at` ON `share_links` (`expires_at`) WHERE expires_at is not null;
CREATE INDEX `share_links_revoked_at` ON `share_links` (`revoked_at`) WHERE revoked_at is not null;
CREATE INDEX `channels_sibling_name` ON `channels` (`project_id`,lower(case when sibling_name is null then name else sibling_name end),sibling_name is null,`id`);
CREATE UNIQUE INDEX `projects_app` ON `projects` (`app_id`,`platform`) WHERE app_id is not null;
CREATE TABLE `setup_marks` (
	`organization_id` text NOT NULL,
	`developer_id` text NOT NULL,
	`mark` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `developer_id`, `mark`),
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE INDEX `setup_marks_developer` ON `setup_marks` (`developer_id`);
CREATE INDEX `setup_marks_backup` ON `setup_marks` (`mark`) WHERE mark = 'backup';
CREATE INDEX `projects_drafts` ON `projects` (`created_at`) WHERE is_draft = 1;
CREATE UNIQUE INDEX `member_invitations_mailed_token` ON `member_invitations` (`mailed_token_hash`);
CREATE TABLE `project_screenshots` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`position` integer NOT NULL,
	`image_key` text NOT NULL,
	`image_type` text NOT NULL,
	`width` integer NOT NULL,
	`height` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE INDEX `project_screenshots_project` ON `project_screenshots` (`project_id`,`position`);
CREATE TABLE `attached_backends` (
	`backend` text PRIMARY KEY NOT NULL,
	`location` text NOT NULL,
	`attached_at` integer NOT NULL
) STRICT;
CREATE TABLE `object_moves` (
	`id` text PRIMARY KEY NOT NULL,
	`to_backend` text NOT NULL,
	`organization_id` text,
	`started_at` integer NOT NULL,
	`seen_at` integer NOT NULL,
	`finished_at` integer,
	`objects` integer NOT NULL,
	`done` integer NOT NULL,
	`moved` integer NOT NULL,
	`bytes` integer NOT NULL,
	`failed` integer NOT NULL
) STRICT;
CREATE TABLE `object_places` (
	`object_key` text PRIMARY KEY NOT NULL,
	`backend` text NOT NULL,
	`left_backend` text,
	`left_at` integer,
	`left_modified_at` integer
) STRICT;
CREATE INDEX `object_places_left` ON `object_places` (`left_at`) WHERE left_at is not null;
CREATE TABLE `object_problems` (
	`object_key` text PRIMARY KEY NOT NULL,
	`what` text NOT NULL,
	`row_id` text NOT NULL,
	`build_id` text,
	`project_id` text,
	`problem` text NOT NULL,
	`found_at` integer NOT NULL
) STRICT;
CREATE TABLE `apple_registrations` (
	`id` text PRIMARY KEY NOT NULL,
	`device_id` text NOT NULL,
	`store_connection_id` text NOT NULL,
	`state` text NOT NULL,
	`device_class` text,
	`registered_at` integer,
	`checked_at` integer NOT NULL,
	`message` text,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`store_connection_id`) REFERENCES `store_connections`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE UNIQUE INDEX `apple_registrations_device` ON `apple_registrations` (`device_id`,`store_connection_id`);
CREATE INDEX `apple_registrations_connection` ON `apple_registrations` (`store_connection_id`);
CREATE TABLE `publish_jobs` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`project_id` text NOT NULL,
	`build_id` text NOT NULL,
	`store_connection_id` text NOT NULL,
	`store_connection_name` text NOT NULL,
	`provider` text NOT NULL,
	`track` text,
	`state` text NOT NULL,
	`created_at` integer NOT NULL,
	`created_by` text,
	`started_at` integer,
	`finished_at` integer,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`created_by`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
CREATE INDEX `publish_jobs_project` ON `publish_jobs` (`project_id`,`id`);
CREATE INDEX `publish_jobs_organization` ON `publish_jobs` (`organization_id`);
CREATE INDEX `publish_jobs_created_by` ON `publish_jobs` (`created_by`) WHERE created_by is not null;
CREATE TABLE `store_connections` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`provider` text NOT NULL,
	`name` text NOT NULL,
	`issuer_id` text,
	`key_id` text,
	`client_email` text,
	`package_name` text,
	`sealed_secret` text NOT NULL,
	`status` text NOT NULL,
	`checked_at` integer NOT NULL,
	`scope` text NOT NULL,
	`failure_code` text,
	`failure_message` text,
	`created_at` integer NOT NULL,
	`created_by` text, `automatic_registration` integer DEFAULT false NOT NULL, `reserve` integer DEFAULT 10 NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`created_by`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
CREATE INDEX `store_connections_organization` ON `store_connections` (`organization_id`,`id`);
CREATE INDEX `store_connections_created_by` ON `store_connections` (`created_by`) WHERE created_by is not null;
CREATE TABLE `finished_waits` (
	`channel_id` text NOT NULL,
	`device_id` text NOT NULL,
	`build_id` text NOT NULL,
	`finished_at` integer NOT NULL,
	PRIMARY KEY(`channel_id`, `device_id`),
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE INDEX `finished_waits_device` ON `finished_waits` (`device_id`);
CREATE INDEX `finished_waits_finished_at` ON `finished_waits` (`finished_at`);
CREATE INDEX `member_invitations_email` ON `member_invitations` (`email`,`id`);
CREATE INDEX `member_invitations_backed_by` ON `member_invitations` (`backed_by`,`organization_id`,`id`);
CREATE INDEX `access_requests_channel_open` ON `access_requests` (`channel_id`,`id`) WHERE declined_at is null;
CREATE INDEX `access_requests_organization_open` ON `access_requests` (`organization_id`,`id`) WHERE declined_at is null;
CREATE INDEX `access_requests_unannounced` ON `access_requests` (`channel_id`,`id`) WHERE declined_at is null and notified_at is null;
CREATE INDEX `access_requests_channel` ON `access_requests` (`channel_id`);
CREATE INDEX `access_requests_organization` ON `access_requests` (`organization_id`);
CREATE INDEX `channel_invitations_accepted_at` ON `channel_invitations` (`accepted_at`) WHERE accepted_at is not null;
CREATE INDEX `channel_invitations_expires_at` ON `channel_invitations` (`expires_at`) WHERE accepted_at is null;
CREATE INDEX `join_links_channel_open` ON `join_links` (`channel_id`,`expires_at`) WHERE revoked_at is null;
CREATE INDEX `join_links_organization` ON `join_links` (`organization_id`,`revoked_at`,`created_at`,`expires_at`);
CREATE INDEX `waiting_devices_unowned` ON `waiting_devices` (`channel_id`) WHERE is_unowned = 1;
CREATE INDEX `channels_public` ON `channels` (`organization_id`,`id`) WHERE public = 1;
CREATE INDEX `downloads_organization` ON `downloads` (`organization_id`) WHERE channel_id is not null;
CREATE INDEX `share_links_channel_open` ON `share_links` (`channel_id`,`expires_at`) WHERE channel_id is not null and revoked_at is null;
CREATE INDEX `share_links_build_open` ON `share_links` (`build_id`,`expires_at`) WHERE build_id is not null and revoked_at is null;
CREATE TRIGGER `waiting_devices_added` AFTER INSERT ON `waiting_devices` WHEN (SELECT `developer_id` FROM `devices` WHERE `id` = new.`device_id`) IS NULL BEGIN
	UPDATE `waiting_devices` SET `is_unowned` = 1 WHERE `id` = new.`id`;
END;
CREATE TRIGGER `waiting_devices_owned` AFTER UPDATE OF `developer_id` ON `devices` WHEN (old.`developer_id` IS NULL) <> (new.`developer_id` IS NULL) BEGIN
	UPDATE `waiting_devices` SET `is_unowned` = new.`developer_id` IS NULL WHERE `device_id` = new.`id`;
END;
CREATE TABLE `customer_containers` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text,
	`prefix` text NOT NULL,
	`account` text NOT NULL,
	`container` text NOT NULL,
	`tenant_id` text NOT NULL,
	`client_id` text NOT NULL,
	`secret_encrypted` text,
	`state` text NOT NULL,
	`activated_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`unreachable_since` integer,
	`unreachable_reason` text,
	`reported_at` integer,
	`mailed_at` integer, `orphaned_at` integer,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
CREATE UNIQUE INDEX `customer_containers_active` ON `customer_containers` (`organization_id`) WHERE state = 'active';
CREATE INDEX `customer_containers_organization` ON `customer_containers` (`organization_id`) WHERE organization_id is not null;
CREATE INDEX `customer_containers_unreachable` ON `customer_containers` (`unreachable_since`) WHERE unreachable_since is not null;
CREATE TABLE `federation_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`public_key` text NOT NULL,
	`private_key_encrypted` text NOT NULL,
	`created_at` integer NOT NULL
) STRICT;
CREATE TABLE `storage_requests` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`tenant_id` text NOT NULL,
	`client_id` text NOT NULL,
	`account` text NOT NULL,
	`container` text NOT NULL,
	`authentication` text NOT NULL,
	`client_secret_encrypted` text,
	`status` text NOT NULL,
	`report` text,
	`validated_at` integer,
	`rejection_reason` text,
	`decided_at` integer,
	`requested_by_developer_id` text,
	`created_at` integer NOT NULL, `browser_uploads` text,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`requested_by_developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
CREATE UNIQUE INDEX `storage_requests_organization_id_unique` ON `storage_requests` (`organization_id`);
CREATE INDEX `storage_requests_requested_by` ON `storage_requests` (`requested_by_developer_id`) WHERE requested_by_developer_id is not null;
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
CREATE INDEX `billing_accounts_subscription` ON `billing_accounts` (`subscription_id`);
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
CREATE INDEX `credit_entries_organization` ON `credit_entries` (`organization_id`,`id`);
CREATE UNIQUE INDEX `credit_entries_provider` ON `credit_entries` (`provider_id`);
CREATE TABLE `price_lists` (
	`id` text PRIMARY KEY NOT NULL,
	`storage_gib_month_cents` integer NOT NULL,
	`download_gib_cents` integer NOT NULL,
	`seat_month_cents` integer NOT NULL,
	`effective_at` integer NOT NULL
) STRICT;
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
, `currency` text) STRICT;
CREATE UNIQUE INDEX `provider_checkouts_transaction` ON `provider_checkouts` (`transaction_id`);
CREATE INDEX `provider_checkouts_organization` ON `provider_checkouts` (`organization_id`,`created_at`);
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
CREATE INDEX `provider_events_received` ON `provider_events` (`received_at`);
CREATE INDEX `provider_events_subscription` ON `provider_events` (`subscription_id`);
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
CREATE INDEX `usage_months_open` ON `usage_months` (`month`,`organization_id`) WHERE closed_at is null;
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
CREATE TABLE `queued_registrations` (
	`store_connection_id` text NOT NULL,
	`device_id` text NOT NULL,
	`author` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`store_connection_id`, `device_id`),
	FOREIGN KEY (`store_connection_id`) REFERENCES `store_connections`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`device_id`) REFERENCES `devices`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE INDEX `queued_registrations_device` ON `queued_registrations` (`device_id`);
CREATE TABLE `usage_days` (
	`organization_id` text NOT NULL,
	`day` text NOT NULL,
	`price_list_id` text NOT NULL,
	`stored_byte_ms` text NOT NULL,
	`seat_ms` integer NOT NULL,
	`downloaded_bytes` integer NOT NULL,
	PRIMARY KEY(`organization_id`, `day`, `price_list_id`)
) STRICT;
CREATE INDEX `usage_days_day` ON `usage_days` (`day`);
CREATE INDEX `builds_size` ON `builds` (`organization_id`,`size_bytes`);
CREATE INDEX `object_places_containers` ON `object_places` (`backend`) WHERE backend like 'azure:%';
CREATE INDEX `billing_accounts_negative` ON `billing_accounts` (`balance_cents`) WHERE balance_cents < 0;
CREATE INDEX `organizations_lock` ON `organizations` (`lock_reason`) WHERE lock_reason is not null;
CREATE INDEX `organizations_trial` ON `organizations` (`lock_advances_at`) WHERE lock_reason is null and lock_advances_at is not null;
CREATE TABLE `counted_links` (
	`reservation_id` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL
) STRICT;
CREATE INDEX `counted_links_expiry` ON `counted_links` (`expires_at`);
CREATE TABLE `access_versions` (
	`organization_id` text PRIMARY KEY NOT NULL,
	`version` integer NOT NULL
) STRICT;
CREATE TABLE `build_totals` (
	`project_id` text NOT NULL,
	`backend` text NOT NULL,
	`organization_id` text NOT NULL,
	`builds` integer NOT NULL,
	`bytes` integer NOT NULL,
	PRIMARY KEY(`project_id`, `backend`)
) STRICT, WITHOUT ROWID;
CREATE INDEX `build_totals_organization` ON `build_totals` (`organization_id`);
CREATE TABLE `download_days` (
	`channel_id` text NOT NULL,
	`day` integer NOT NULL,
	`downloads` integer NOT NULL,
	PRIMARY KEY(`channel_id`, `day`)
) STRICT, WITHOUT ROWID;
CREATE TABLE `download_sums` (
	`subject_id` text PRIMARY KEY NOT NULL,
	`downloads` integer NOT NULL,
	`builds` integer NOT NULL,
	`takers` integer NOT NULL,
	`first_at` integer NOT NULL,
	`last_at` integer NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE `report_days` (
	`subject_id` text NOT NULL,
	`day` integer NOT NULL,
	`state` text NOT NULL,
	`reports` integer NOT NULL,
	PRIMARY KEY(`subject_id`, `day`, `state`)
) STRICT, WITHOUT ROWID;
CREATE INDEX `builds_object` ON `builds` (`object_key`);
CREATE TRIGGER `downloads_counted` AFTER INSERT ON `downloads` BEGIN
	INSERT INTO `download_sums` SELECT `id`, 0, 0, 0, new.`created_at`, new.`created_at` FROM (SELECT new.`release_id` AS `id` UNION SELECT new.`channel_id`)
		WHERE `id` IS NOT NULL AND NOT EXISTS (SELECT 1 FROM `download_sums` WHERE `subject_id` = `id`);
	UPDATE `download_sums` SET `downloads` = `downloads` + 1, `first_at` = min(`first_at`, new.`created_at`), `last_at` = max(`last_at`, new.`created_at`),
		`builds` = `builds` + NOT EXISTS (SELECT 1 FROM `download_totals` AS `t` WHERE `t`.`subject_id` = `download_sums`.`subject_id` AND `t`.`build_id` = new.`build_id`),
		`takers` = `takers` + (new.`developer_id` IS NOT NULL AND CASE WHEN `subject_id` = new.`release_id`
			THEN NOT EXISTS (SELECT 1 FROM `downloads` AS `d` WHERE `d`.`release_id` = new.`release_id` AND `d`.`developer_id` = new.`developer_id` AND `d`.`id` <> new.`id`)
			ELSE NOT EXISTS (SELECT 1 FROM `downloads` AS `d` WHERE `d`.`channel_id` = new.`channel_id` AND `d`.`developer_id` = new.`developer_id` AND `d`.`id` <> new.`id`) END)
		WHERE `subject_id` IN (new.`release_id`, new.`channel_id`);
	INSERT INTO `download_totals` SELECT `id`, new.`build_id`, 0, new.`created_at`, new.`created_at` FROM (SELECT new.`release_id` AS `id` UNION SELECT new.`channel_id`)
		WHERE `id` IS NOT NULL AND NOT EXISTS (SELECT 1 FROM `download_totals` WHERE `subject_id` = `id` AND `build_id` = new.`build_id`);
	UPDATE `download_totals` SET `downloads` = `downloads` + 1, `first_at` = min(`first_at`, new.`created_at`), `last_at` = max(`last_at`, new.`created_at`)
		WHERE `subject_id` IN (new.`release_id`, new.`channel_id`) AND `build_id` = new.`build_id`;
	INSERT INTO `download_days` SELECT new.`channel_id`, new.`created_at` / 86400000, 0 WHERE new.`channel_id` IS NOT NULL
		AND NOT EXISTS (SELECT 1 FROM `download_days` WHERE `channel_id` = new.`channel_id` AND `day` = new.`created_at` / 86400000);
	UPDATE `download_days` SET `downloads` = `downloads` + 1 WHERE `channel_id` = new.`channel_id` AND `day` = new.`created_at` / 86400000;
END;
CREATE TRIGGER `downloads_cleared` AFTER UPDATE OF `developer_id` ON `downloads` WHEN old.`developer_id` IS NOT NULL AND new.`developer_id` IS NULL BEGIN
	UPDATE `download_sums` SET `takers` = `takers` - 1 WHERE `subject_id` = old.`release_id`
		AND NOT EXISTS (SELECT 1 FROM `downloads` AS `d` WHERE `d`.`release_id` = old.`release_id` AND `d`.`developer_id` = old.`developer_id`);
	UPDATE `download_sums` SET `takers` = `takers` - 1 WHERE `subject_id` = old.`channel_id` AND old.`channel_id` IS NOT old.`release_id`
		AND NOT EXISTS (SELECT 1 FROM `downloads` AS `d` WHERE `d`.`channel_id` = old.`channel_id` AND `d`.`developer_id` = old.`developer_id`);
END;
CREATE TRIGGER `sdk_reports_added` AFTER INSERT ON `sdk_reports` BEGIN
	INSERT INTO `report_days` SELECT `id`, new.`created_at` / 86400000, new.`state`, 1 FROM (SELECT `id` FROM `releases` WHERE `id` = new.`release_id` UNION ALL SELECT `channel_id` FROM `releases` WHERE `id` = new.`release_id`) WHERE true
		ON CONFLICT DO UPDATE SET `reports` = `reports` + 1;
END;
CREATE TRIGGER `sdk_reports_changed` AFTER UPDATE OF `state` ON `sdk_reports` WHEN old.`state` <> new.`state` BEGIN
	UPDATE `report_days` SET `reports` = `reports` - 1 WHERE `subject_id` IN (SELECT `id` FROM `releases` WHERE `id` = old.`release_id` UNION ALL SELECT `channel_id` FROM `releases` WHERE `id` = old.`release_id`)
		AND `day` = old.`created_at` / 86400000 AND `state` = old.`state`;
	DELETE FROM `report_days` WHERE `subject_id` IN (SELECT `id` FROM `releases` WHERE `id` = old.`release_id` UNION ALL SELECT `channel_id` FROM `releases` WHERE `id` = old.`release_id`)
		AND `day` = old.`created_at` / 86400000 AND `state` = old.`state` AND `reports` = 0;
	INSERT INTO `report_days` SELECT `id`, new.`created_at` / 86400000, new.`state`, 1 FROM (SELECT `id` FROM `releases` WHERE `id` = new.`release_id` UNION ALL SELECT `channel_id` FROM `releases` WHERE `id` = new.`release_id`) WHERE true
		ON CONFLICT DO UPDATE SET `reports` = `reports` + 1;
END;
CREATE TRIGGER `sdk_reports_removed` AFTER DELETE ON `sdk_reports` BEGIN
	UPDATE `report_days` SET `reports` = `reports` - 1 WHERE `subject_id` IN (SELECT `id` FROM `releases` WHERE `id` = old.`release_id` UNION ALL SELECT `channel_id` FROM `releases` WHERE `id` = old.`release_id`)
		AND `day` = old.`created_at` / 86400000 AND `state` = old.`state`;
	DELETE FROM `report_days` WHERE `subject_id` IN (SELECT `id` FROM `releases` WHERE `id` = old.`release_id` UNION ALL SELECT `channel_id` FROM `releases` WHERE `id` = old.`release_id`)
		AND `day` = old.`created_at` / 86400000 AND `state` = old.`state` AND `reports` = 0;
END;
CREATE TRIGGER `releases_removed` AFTER DELETE ON `releases` BEGIN
	UPDATE `report_days` SET `reports` = `reports` - (SELECT `r`.`reports` FROM `report_days` AS `r`
			WHERE `r`.`subject_id` = old.`id` AND `r`.`day` = `report_days`.`day` AND `r`.`state` = `report_days`.`state`)
		WHERE `subject_id` = old.`channel_id` AND (`day`, `state`) IN (SELECT `day`, `state` FROM `report_days` WHERE `subject_id` = old.`id`);
	DELETE FROM `report_days` WHERE `subject_id` = old.`channel_id` AND `reports` = 0
		AND (`day`, `state`) IN (SELECT `day`, `state` FROM `report_days` WHERE `subject_id` = old.`id`);
	DELETE FROM `report_days` WHERE `subject_id` = old.`id`;
END;
CREATE TRIGGER `builds_added` AFTER INSERT ON `builds` BEGIN
	INSERT INTO `build_totals` SELECT new.`project_id`, coalesce((SELECT `backend` FROM `object_places` WHERE `object_key` = new.`object_key`), ''), new.`organization_id`, 1, new.`size_bytes` WHERE true
		ON CONFLICT DO UPDATE SET `builds` = `builds` + 1, `bytes` = `bytes` + excluded.`bytes`;
END;
CREATE TRIGGER `builds_changed` AFTER UPDATE OF `project_id`, `size_bytes`, `object_key` ON `builds`
	WHEN old.`project_id` <> new.`project_id` OR old.`size_bytes` <> new.`size_bytes` OR old.`object_key` <> new.`object_key` BEGIN
	UPDATE `build_totals` SET `builds` = `builds` - 1, `bytes` = `bytes` - old.`size_bytes` WHERE `project_id` = old.`project_id` AND `backend` = coalesce((SELECT `backend` FROM `object_places` WHERE `object_key` = old.`object_key`), '');
	DELETE FROM `build_totals` WHERE `project_id` = old.`project_id` AND `backend` = coalesce((SELECT `backend` FROM `object_places` WHERE `object_key` = old.`object_key`), '') AND `builds` = 0;
	INSERT INTO `build_totals` SELECT new.`project_id`, coalesce((SELECT `backend` FROM `object_places` WHERE `object_key` = new.`object_key`), ''), new.`organization_id`, 1, new.`size_bytes` WHERE true
		ON CONFLICT DO UPDATE SET `builds` = `builds` + 1, `bytes` = `bytes` + excluded.`bytes`;
END;
CREATE TRIGGER `builds_removed` AFTER DELETE ON `builds` BEGIN
	UPDATE `build_totals` SET `builds` = `builds` - 1, `bytes` = `bytes` - old.`size_bytes` WHERE `project_id` = old.`project_id` AND `backend` = coalesce((SELECT `backend` FROM `object_places` WHERE `object_key` = old.`object_key`), '');
	DELETE FROM `build_totals` WHERE `project_id` = old.`project_id` AND `backend` = coalesce((SELECT `backend` FROM `object_places` WHERE `object_key` = old.`object_key`), '') AND `builds` = 0;
END;
CREATE TRIGGER `object_places_added` AFTER INSERT ON `object_places` BEGIN
	UPDATE `build_totals` SET `builds` = `builds` - 1, `bytes` = `bytes` - (SELECT `size_bytes` FROM `builds` WHERE `object_key` = new.`object_key`)
		WHERE `project_id` = (SELECT `project_id` FROM `builds` WHERE `object_key` = new.`object_key`) AND `backend` = '';
	DELETE FROM `build_totals` WHERE `project_id` = (SELECT `project_id` FROM `builds` WHERE `object_key` = new.`object_key`) AND `backend` = '' AND `builds` = 0;
	INSERT INTO `build_totals` SELECT `project_id`, new.`backend`, `organization_id`, 1, `size_bytes` FROM `builds` WHERE `object_key` = new.`object_key`
		ON CONFLICT DO UPDATE SET `builds` = `builds` + 1, `bytes` = `bytes` + excluded.`bytes`;
END;
CREATE TRIGGER `object_places_changed` AFTER UPDATE OF `backend` ON `object_places` WHEN old.`backend` <> new.`backend` BEGIN
	UPDATE `build_totals` SET `builds` = `builds` - 1, `bytes` = `bytes` - (SELECT `size_bytes` FROM `builds` WHERE `object_key` = new.`object_key`)
		WHERE `project_id` = (SELECT `project_id` FROM `builds` WHERE `object_key` = new.`object_key`) AND `backend` = old.`backend`;
	DELETE FROM `build_totals` WHERE `project_id` = (SELECT `project_id` FROM `builds` WHERE `object_key` = new.`object_key`) AND `backend` = old.`backend` AND `builds` = 0;
	INSERT INTO `build_totals` SELECT `project_id`, new.`backend`, `organization_id`, 1, `size_bytes` FROM `builds` WHERE `object_key` = new.`object_key`
		ON CONFLICT DO UPDATE SET `builds` = `builds` + 1, `bytes` = `bytes` + excluded.`bytes`;
END;
CREATE TRIGGER `object_places_removed` AFTER DELETE ON `object_places` BEGIN
	UPDATE `build_totals` SET `builds` = `builds` - 1, `bytes` = `bytes` - (SELECT `size_bytes` FROM `builds` WHERE `object_key` = old.`object_key`)
		WHERE `project_id` = (SELECT `project_id` FROM `builds` WHERE `object_key` = old.`object_key`) AND `backend` = old.`backend`;
	DELETE FROM `build_totals` WHERE `project_id` = (SELECT `project_id` FROM `builds` WHERE `object_key` = old.`object_key`) AND `backend` = old.`backend` AND `builds` = 0;
	INSERT INTO `build_totals` SELECT `project_id`, '', `organization_id`, 1, `size_bytes` FROM `builds` WHERE `object_key` = old.`object_key`
		ON CONFLICT DO UPDATE SET `builds` = `builds` + 1, `bytes` = `bytes` + excluded.`bytes`;
END;
CREATE TRIGGER `tester_grants_added` AFTER INSERT ON `tester_grants` BEGIN
	INSERT INTO `access_versions` SELECT new.`organization_id`, 1 WHERE true ON CONFLICT DO UPDATE SET `version` = `version` + 1;
END;
CREATE TRIGGER `tester_grants_changed` AFTER UPDATE OF `developer_id`, `target_id` ON `tester_grants` BEGIN
	INSERT INTO `access_versions` SELECT new.`organization_id`, 1 WHERE true ON CONFLICT DO UPDATE SET `version` = `version` + 1;
END;
CREATE TRIGGER `tester_grants_removed` AFTER DELETE ON `tester_grants` BEGIN
	INSERT INTO `access_versions` SELECT old.`organization_id`, 1 WHERE true ON CONFLICT DO UPDATE SET `version` = `version` + 1;
END;
CREATE TRIGGER `tester_group_grants_added` AFTER INSERT ON `tester_group_grants` BEGIN
	INSERT INTO `access_versions` SELECT new.`organization_id`, 1 WHERE true ON CONFLICT DO UPDATE SET `version` = `version` + 1;
END;
CREATE TRIGGER `tester_group_grants_removed` AFTER DELETE ON `tester_group_grants` BEGIN
	INSERT INTO `access_versions` SELECT old.`organization_id`, 1 WHERE true ON CONFLICT DO UPDATE SET `version` = `version` + 1;
END;
CREATE TRIGGER `tester_group_members_added` AFTER INSERT ON `tester_group_members` BEGIN
	INSERT INTO `access_versions` SELECT `organization_id`, 1 FROM `tester_groups` WHERE `id` = new.`group_id` ON CONFLICT DO UPDATE SET `version` = `version` + 1;
END;
CREATE TRIGGER `tester_group_members_changed` AFTER UPDATE OF `developer_id` ON `tester_group_members` BEGIN
	INSERT INTO `access_versions` SELECT `organization_id`, 1 FROM `tester_groups` WHERE `id` = new.`group_id` ON CONFLICT DO UPDATE SET `version` = `version` + 1;
END;
CREATE TRIGGER `tester_group_members_removed` AFTER DELETE ON `tester_group_members` BEGIN
	INSERT INTO `access_versions` SELECT `organization_id`, 1 FROM `tester_groups` WHERE `id` = old.`group_id` ON CONFLICT DO UPDATE SET `version` = `version` + 1;
END;
CREATE TRIGGER `tester_groups_removed` AFTER DELETE ON `tester_groups` BEGIN
	INSERT INTO `access_versions` SELECT old.`organization_id`, 1 WHERE true ON CONFLICT DO UPDATE SET `version` = `version` + 1;
END;
CREATE TABLE `build_labels` (
	`build_id` text NOT NULL,
	`key` text NOT NULL,
	`label` text NOT NULL,
	`project_id` text NOT NULL,
	PRIMARY KEY(`build_id`, `key`),
	FOREIGN KEY (`build_id`) REFERENCES `builds`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE INDEX `build_labels_project` ON `build_labels` (`project_id`,`key`,`build_id`);
CREATE INDEX `builds_project_version` ON `builds` (`project_id`,`version_key`,`id`);
CREATE INDEX `builds_project_bundle` ON `builds` (`project_id`,`bundle_identifier`,`id`);
CREATE INDEX `builds_project_uploader` ON `builds` (`project_id`,`uploaded_by_developer_id`,`id`) WHERE uploaded_by_developer_id is not null;
CREATE INDEX `builds_project_commit` ON `builds` (`project_id`,`source_commit`,`id`) WHERE source_commit is not null;
CREATE INDEX `builds_project_branch` ON `builds` (`project_id`,`source_branch`,`id`) WHERE source_branch is not null;
CREATE INDEX `builds_project_pull_request` ON `builds` (`project_id`,`source_pull_request`,`id`) WHERE source_pull_request is not null;
CREATE TABLE `feed_states` (
	`channel_id` text PRIMARY KEY NOT NULL,
	`content_hash` text NOT NULL,
	`changed_at` integer NOT NULL,
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE TABLE `feed_tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`project_id` text NOT NULL,
	`channel_id` text NOT NULL,
	`developer_id` text NOT NULL,
	`token_hash` text NOT NULL,
	`note` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE UNIQUE INDEX `feed_tokens_token` ON `feed_tokens` (`token_hash`);
CREATE INDEX `feed_tokens_channel` ON `feed_tokens` (`channel_id`,`developer_id`,`id`);
CREATE INDEX `feed_tokens_developer` ON `feed_tokens` (`developer_id`);
CREATE INDEX `feed_tokens_organization` ON `feed_tokens` (`organization_id`);
CREATE INDEX `feed_tokens_project` ON `feed_tokens` (`project_id`);
CREATE TABLE `repository_keys` (
	`organization_id` text PRIMARY KEY NOT NULL,
	`certificate` text NOT NULL,
	`private_key_encrypted` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE INDEX `builds_announced` ON `builds` (`organization_id`,`project_id`,`id`) WHERE retention_notice_at is not null;
CREATE INDEX `builds_pinned` ON `builds` (`project_id`) WHERE pinned_at is not null;
CREATE INDEX `channels_retention` ON `channels` (`organization_id`,`id`) WHERE keep_last is not null or keep_days is not null;
CREATE TABLE `feedback` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`developer_id` text,
	`channel_id` text,
	`release_id` text,
	`build_id` text,
	`sdk_install_id` text,
	`source` text NOT NULL,
	`state` text NOT NULL,
	`text` text NOT NULL,
	`version_name` text,
	`build_number` text,
	`device_model` text,
	`os_version` text,
	`contact_email` text,
	`picture_bytes` integer NOT NULL,
	`created_at` integer NOT NULL,
	`state_changed_at` integer,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE INDEX `feedback_state` ON `feedback` (`project_id`,`state`,`id`);
CREATE INDEX `feedback_release` ON `feedback` (`project_id`,`release_id`,`id`);
CREATE INDEX `feedback_sizes` ON `feedback` (`project_id`,`id`,`picture_bytes`);
CREATE INDEX `feedback_developer` ON `feedback` (`developer_id`,`created_at`) WHERE developer_id is not null;
CREATE INDEX `feedback_install` ON `feedback` (`sdk_install_id`,`created_at`) WHERE sdk_install_id is not null;
CREATE TABLE `feedback_pictures` (
	`id` text PRIMARY KEY NOT NULL,
	`feedback_id` text NOT NULL,
	`position` integer NOT NULL,
	`image_key` text NOT NULL,
	`image_type` text NOT NULL,
	`width` integer NOT NULL,
	`height` integer NOT NULL,
	`size_bytes` integer NOT NULL,
	FOREIGN KEY (`feedback_id`) REFERENCES `feedback`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE INDEX `feedback_pictures_feedback` ON `feedback_pictures` (`feedback_id`,`position`);
CREATE INDEX `feedback_pictures_object` ON `feedback_pictures` (`image_key`);
CREATE TABLE `feedback_replies` (
	`id` text PRIMARY KEY NOT NULL,
	`feedback_id` text NOT NULL,
	`developer_id` text,
	`text` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`feedback_id`) REFERENCES `feedback`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
CREATE INDEX `feedback_replies_feedback` ON `feedback_replies` (`feedback_id`,`id`);
CREATE INDEX `feedback_replies_developer` ON `feedback_replies` (`developer_id`) WHERE developer_id is not null;
CREATE TABLE `previews` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`channel_id` text NOT NULL,
	`pull_request` integer NOT NULL,
	`opened_at` integer NOT NULL,
	`ends_at` integer NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`channel_id`) REFERENCES `channels`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE UNIQUE INDEX `previews_pull_request` ON `previews` (`project_id`,`pull_request`);
CREATE INDEX `previews_project` ON `previews` (`project_id`,`id`);
CREATE UNIQUE INDEX `previews_channel` ON `previews` (`channel_id`);
CREATE INDEX `previews_ends_at` ON `previews` (`ends_at`);
CREATE TABLE "pending_uploads" (
	`id` text PRIMARY KEY NOT NULL,
	`organization_id` text NOT NULL,
	`project_id` text NOT NULL,
	`version_name` text,
	`build_number` integer,
	`bundle_identifier` text,
	`original_filename` text,
	`release_notes` text,
	`origin` text,
	`object_key` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE UNIQUE INDEX `pending_uploads_identity` ON `pending_uploads` (`project_id`,`version_name`,`build_number`);
CREATE INDEX `pending_uploads_expires_at` ON `pending_uploads` (`expires_at`);
CREATE INDEX `pending_uploads_organization` ON `pending_uploads` (`organization_id`);
CREATE TABLE `taken_back_chargebacks` (
	`adjustment_id` text PRIMARY KEY NOT NULL,
	`transaction_id` text NOT NULL,
	`action` text NOT NULL,
	`amount_cents` integer NOT NULL,
	`is_itself` integer NOT NULL
) STRICT;
CREATE INDEX `taken_back_chargebacks_transaction` ON `taken_back_chargebacks` (`transaction_id`);
CREATE TABLE `background_fills` (
	`name` text PRIMARY KEY NOT NULL,
	`position` text NOT NULL,
	`until` text NOT NULL,
	`done` integer NOT NULL,
	`total` integer NOT NULL
) STRICT;
CREATE TABLE "reservations" (
	`organization_id` text NOT NULL,
	`kind` text NOT NULL,
	`expires_at` integer NOT NULL,
	`subject_id` text NOT NULL,
	`amount_ucents` integer NOT NULL,
	`details` text,
	PRIMARY KEY(`organization_id`, `kind`, `expires_at`, `subject_id`)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX `reservations_subject` ON `reservations` (`kind`,`subject_id`) WHERE kind <> 'download';
CREATE TRIGGER `reservations_added` AFTER INSERT ON `reservations` WHEN new.`expires_at` < 9007199254740991 BEGIN
	INSERT INTO `reservations` (`organization_id`, `kind`, `expires_at`, `subject_id`, `amount_ucents`)
		VALUES (new.`organization_id`, new.`kind`, 9007199254740991, new.`organization_id`, new.`amount_ucents`)
		ON CONFLICT DO UPDATE SET `amount_ucents` = `amount_ucents` + excluded.`amount_ucents`;
END;
CREATE TRIGGER `reservations_changed` AFTER UPDATE OF `amount_ucents` ON `reservations` WHEN new.`expires_at` < 9007199254740991 AND old.`amount_ucents` <> new.`amount_ucents` BEGIN
	UPDATE `reservations` SET `amount_ucents` = `amount_ucents` + new.`amount_ucents` - old.`amount_ucents`
		WHERE `organization_id` = new.`organization_id` AND `kind` = new.`kind` AND `expires_at` = 9007199254740991 AND `subject_id` = new.`organization_id`;
END;
CREATE TRIGGER `reservations_removed` AFTER DELETE ON `reservations` WHEN old.`expires_at` < 9007199254740991 BEGIN
	UPDATE `reservations` SET `amount_ucents` = `amount_ucents` - old.`amount_ucents`
		WHERE `organization_id` = old.`organization_id` AND `kind` = old.`kind` AND `expires_at` = 9007199254740991 AND `subject_id` = old.`organization_id`;
END;
CREATE TABLE `repeated_uploads` (
	`pending_upload_id` text PRIMARY KEY NOT NULL,
	`build_id` text NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`build_id`) REFERENCES `builds`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
CREATE INDEX `repeated_uploads_build` ON `repeated_uploads` (`build_id`);
CREATE INDEX `repeated_uploads_expires_at` ON `repeated_uploads` (`expires_at`);
CREATE INDEX `jobs_failed` ON `jobs` (`id`) WHERE last_error is not null;
CREATE INDEX `jobs_due` ON `jobs` (`state`,`kind`,`run_at`);
CREATE INDEX `developers_deletion_due` ON `developers` (`deletion_due_at`) WHERE deletion_due_at is not null;
CREATE INDEX `sessions_revoked_at` ON `sessions` (`revoked_at`) WHERE revoked_at is not null;
CREATE INDEX `organization_memberships_newest` ON `organization_memberships` (`organization_id`,`created_at`,`developer_id`);
CREATE INDEX `project_memberships_newest` ON `project_memberships` (`project_id`,`created_at`,`developer_id`);
CREATE TABLE `group_totals` (
	`group_id` text PRIMARY KEY NOT NULL,
	`members` integer NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX `data_exports_preparing` ON `data_exports` (`created_at`) WHERE state = 'preparing';
CREATE INDEX `data_exports_ready` ON `data_exports` (`expires_at`) WHERE state = 'ready';
CREATE INDEX `totp_factors_unconfirmed` ON `totp_factors` (`created_at`) WHERE confirmed_at is null;
CREATE INDEX `organization_memberships_admins` ON `organization_memberships` (`organization_id`,`created_at`) WHERE role = 'admin';
CREATE TRIGGER `tester_group_members_counted` AFTER INSERT ON `tester_group_members` BEGIN
	INSERT INTO `group_totals` VALUES (new.`group_id`, 1) ON CONFLICT DO UPDATE SET `members` = `members` + 1;
END;
CREATE TRIGGER `tester_group_members_uncounted` AFTER DELETE ON `tester_group_members` BEGIN
	UPDATE `group_totals` SET `members` = `members` - 1 WHERE `group_id` = old.`group_id`;
	DELETE FROM `group_totals` WHERE `group_id` = old.`group_id` AND `members` = 0;
END;
CREATE INDEX `builds_skewed` ON `builds` (`project_id`,`uploaded_at`,`id`) WHERE (id < printf('%08x-%04x', (max(0, uploaded_at - 60000)) >> 16, (max(0, uploaded_at - 60000)) & 65535) OR id >= printf('%08x-%04x', (uploaded_at + 60000) >> 16, (uploaded_at + 60000) & 65535));
