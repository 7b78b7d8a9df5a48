CREATE TABLE `__new_reservations` (
	`organization_id` text NOT NULL,
	`kind` text NOT NULL,
	`expires_at` integer NOT NULL,
	`subject_id` text NOT NULL,
	`amount_ucents` integer NOT NULL,
	`details` text,
	PRIMARY KEY(`organization_id`, `kind`, `expires_at`, `subject_id`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__new_reservations`("organization_id", "kind", "expires_at", "subject_id", "amount_ucents", "details") SELECT "organization_id", "kind", "expires_at", "subject_id", "amount_ucents", "details" FROM `reservations` WHERE `expires_at` < 9007199254740991;--> statement-breakpoint
-- By hand: the sums, now of each kind, and triggers that keep them.
INSERT INTO `__new_reservations`("organization_id", "kind", "expires_at", "subject_id", "amount_ucents") SELECT "organization_id", "kind", 9007199254740991, "organization_id", sum("amount_ucents") FROM `reservations` WHERE `expires_at` < 9007199254740991 GROUP BY "organization_id", "kind";--> statement-breakpoint
DROP TABLE `reservations`;--> statement-breakpoint
ALTER TABLE `__new_reservations` RENAME TO `reservations`;--> statement-breakpoint
CREATE UNIQUE INDEX `reservations_subject` ON `reservations` (`kind`,`subject_id`) WHERE kind <> 'download';--> statement-breakpoint
CREATE TRIGGER `reservations_added` AFTER INSERT ON `reservations` WHEN new.`expires_at` < 9007199254740991 BEGIN
	INSERT INTO `reservations` (`organization_id`, `kind`, `expires_at`, `subject_id`, `amount_ucents`)
		VALUES (new.`organization_id`, new.`kind`, 9007199254740991, new.`organization_id`, new.`amount_ucents`)
		ON CONFLICT DO UPDATE SET `amount_ucents` = `amount_ucents` + excluded.`amount_ucents`;
END;--> statement-breakpoint
CREATE TRIGGER `reservations_changed` AFTER UPDATE OF `amount_ucents` ON `reservations` WHEN new.`expires_at` < 9007199254740991 AND old.`amount_ucents` <> new.`amount_ucents` BEGIN
	UPDATE `reservations` SET `amount_ucents` = `amount_ucents` + new.`amount_ucents` - old.`amount_ucents`
		WHERE `organization_id` = new.`organization_id` AND `kind` = new.`kind` AND `expires_at` = 9007199254740991 AND `subject_id` = new.`organization_id`;
END;--> statement-breakpoint
CREATE TRIGGER `reservations_removed` AFTER DELETE ON `reservations` WHEN old.`expires_at` < 9007199254740991 BEGIN
	UPDATE `reservations` SET `amount_ucents` = `amount_ucents` - old.`amount_ucents`
		WHERE `organization_id` = old.`organization_id` AND `kind` = old.`kind` AND `expires_at` = 9007199254740991 AND `subject_id` = old.`organization_id`;
END;
