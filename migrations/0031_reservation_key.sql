CREATE TABLE `__new_reservations` (
	`organization_id` text NOT NULL,
	`expires_at` integer NOT NULL,
	`kind` text NOT NULL,
	`subject_id` text NOT NULL,
	`amount_ucents` integer NOT NULL,
	`details` text,
	PRIMARY KEY(`organization_id`, `expires_at`, `kind`, `subject_id`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__new_reservations`("organization_id", "expires_at", "kind", "subject_id", "amount_ucents", "details") SELECT "organization_id", "expires_at", "kind", "subject_id", "amount_ucents", "details" FROM `reservations`;--> statement-breakpoint
DROP TABLE `reservations`;--> statement-breakpoint
ALTER TABLE `__new_reservations` RENAME TO `reservations`;--> statement-breakpoint
CREATE UNIQUE INDEX `reservations_subject` ON `reservations` (`kind`,`subject_id`) WHERE kind <> 'download';--> statement-breakpoint
-- By hand: the triggers of the sums, which were dropped with the table.
CREATE TRIGGER `reservations_added` AFTER INSERT ON `reservations` BEGIN
	INSERT INTO `reserved_totals` (`organization_id`, `ucents`, `use_ucents`)
		VALUES (new.`organization_id`, new.`amount_ucents`, CASE WHEN new.`kind` = 'refund' THEN 0 ELSE new.`amount_ucents` END)
		ON CONFLICT DO UPDATE SET `ucents` = `ucents` + excluded.`ucents`, `use_ucents` = `use_ucents` + excluded.`use_ucents`;
END;--> statement-breakpoint
CREATE TRIGGER `reservations_changed` AFTER UPDATE OF `amount_ucents` ON `reservations` WHEN old.`amount_ucents` <> new.`amount_ucents` BEGIN
	UPDATE `reserved_totals` SET `ucents` = `ucents` + new.`amount_ucents` - old.`amount_ucents`,
		`use_ucents` = `use_ucents` + CASE WHEN new.`kind` = 'refund' THEN 0 ELSE new.`amount_ucents` - old.`amount_ucents` END
		WHERE `organization_id` = new.`organization_id`;
END;--> statement-breakpoint
CREATE TRIGGER `reservations_removed` AFTER DELETE ON `reservations` BEGIN
	UPDATE `reserved_totals` SET `ucents` = `ucents` - old.`amount_ucents`,
		`use_ucents` = `use_ucents` - CASE WHEN old.`kind` = 'refund' THEN 0 ELSE old.`amount_ucents` END
		WHERE `organization_id` = old.`organization_id`;
END;
