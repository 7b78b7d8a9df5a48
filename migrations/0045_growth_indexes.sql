CREATE INDEX `developers_deletion_due` ON `developers` (`deletion_due_at`) WHERE deletion_due_at is not null;--> statement-breakpoint
CREATE INDEX `sessions_revoked_at` ON `sessions` (`revoked_at`) WHERE revoked_at is not null;--> statement-breakpoint
CREATE INDEX `organization_memberships_newest` ON `organization_memberships` (`organization_id`,`created_at`,`developer_id`);--> statement-breakpoint
CREATE INDEX `project_memberships_newest` ON `project_memberships` (`project_id`,`created_at`,`developer_id`);