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
	`mailed_at` integer,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `customer_containers_active` ON `customer_containers` (`organization_id`) WHERE state = 'active';--> statement-breakpoint
CREATE INDEX `customer_containers_organization` ON `customer_containers` (`organization_id`) WHERE organization_id is not null;--> statement-breakpoint
CREATE INDEX `customer_containers_unreachable` ON `customer_containers` (`unreachable_since`) WHERE unreachable_since is not null;--> statement-breakpoint
CREATE TABLE `federation_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`public_key` text NOT NULL,
	`private_key_encrypted` text NOT NULL,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
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
	`created_at` integer NOT NULL,
	FOREIGN KEY (`organization_id`) REFERENCES `organizations`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`requested_by_developer_id`) REFERENCES `developers`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `storage_requests_organization_id_unique` ON `storage_requests` (`organization_id`);--> statement-breakpoint
CREATE INDEX `storage_requests_requested_by` ON `storage_requests` (`requested_by_developer_id`) WHERE requested_by_developer_id is not null;