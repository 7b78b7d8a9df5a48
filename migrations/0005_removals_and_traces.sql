CREATE TABLE `audit_notices` (
	`chain` text NOT NULL,
	`cutoff` integer NOT NULL,
	`announced_at` integer NOT NULL,
	PRIMARY KEY(`chain`, `cutoff`)
) STRICT;
--> statement-breakpoint
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
--> statement-breakpoint
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
--> statement-breakpoint
CREATE INDEX `removals_created_at` ON `removals` (`created_at`);--> statement-breakpoint
CREATE INDEX `builds_uploaded_by` ON `builds` (`uploaded_by_developer_id`) WHERE uploaded_by_developer_id is not null;--> statement-breakpoint
CREATE INDEX `pending_uploads_organization` ON `pending_uploads` (`organization_id`);--> statement-breakpoint
CREATE INDEX `channels_organization` ON `channels` (`organization_id`);--> statement-breakpoint
CREATE INDEX `releases_organization` ON `releases` (`organization_id`);--> statement-breakpoint
CREATE INDEX `releases_project` ON `releases` (`project_id`);--> statement-breakpoint
CREATE INDEX `releases_created_by` ON `releases` (`created_by`) WHERE created_by is not null;--> statement-breakpoint
CREATE INDEX `device_enrollments_created_by` ON `device_enrollments` (`created_by`) WHERE created_by is not null;--> statement-breakpoint
CREATE INDEX `expiry_notices_developer` ON `expiry_notices` (`developer_id`);--> statement-breakpoint
CREATE INDEX `feature_flags_of` ON `feature_flags` (`organization_id`);--> statement-breakpoint
CREATE INDEX `challenges_developer` ON `challenges` (`developer_id`) WHERE developer_id is not null;--> statement-breakpoint
CREATE INDEX `mail_cooldowns_recipient` ON `mail_cooldowns` (`recipient`);--> statement-breakpoint
CREATE INDEX `member_invitations_invited_by` ON `member_invitations` (`invited_by`) WHERE invited_by is not null;--> statement-breakpoint
CREATE INDEX `member_invitations_accepted_by` ON `member_invitations` (`accepted_by`) WHERE accepted_by is not null;--> statement-breakpoint
CREATE INDEX `organizations_created_by` ON `organizations` (`created_by`) WHERE created_by is not null;--> statement-breakpoint
CREATE INDEX `project_access_tokens_organization` ON `project_access_tokens` (`organization_id`);--> statement-breakpoint
CREATE INDEX `project_access_tokens_created_by` ON `project_access_tokens` (`created_by`) WHERE created_by is not null;--> statement-breakpoint
CREATE INDEX `projects_created_by` ON `projects` (`created_by`) WHERE created_by is not null;--> statement-breakpoint
CREATE INDEX `sdk_apps_organization` ON `sdk_apps` (`organization_id`);--> statement-breakpoint
CREATE INDEX `sdk_apps_created_by` ON `sdk_apps` (`created_by`) WHERE created_by is not null;--> statement-breakpoint
CREATE INDEX `channel_invitations_invited_by` ON `channel_invitations` (`invited_by`) WHERE invited_by is not null;--> statement-breakpoint
CREATE INDEX `channel_invitations_accepted_by` ON `channel_invitations` (`accepted_by`) WHERE accepted_by is not null;--> statement-breakpoint
CREATE INDEX `tester_grants_granted_by` ON `tester_grants` (`granted_by`) WHERE granted_by is not null;--> statement-breakpoint
CREATE INDEX `webhook_subscriptions_created_by` ON `webhook_subscriptions` (`created_by`) WHERE created_by is not null;