-- By hand: the sums of the reservations that exist, as rows that follow them, and triggers that keep them.
DROP TRIGGER `reservations_added`;--> statement-breakpoint
DROP TRIGGER `reservations_changed`;--> statement-breakpoint
DROP TRIGGER `reservations_removed`;--> statement-breakpoint
INSERT INTO `reservations` (`organization_id`, `expires_at`, `kind`, `subject_id`, `amount_ucents`)
	SELECT `organization_id`, 9007199254740991, 'use', `organization_id`, `use_ucents` FROM `reserved_totals`
	UNION ALL SELECT `organization_id`, 9007199254740991, 'refunds', `organization_id`, `ucents` - `use_ucents` FROM `reserved_totals` WHERE `ucents` <> `use_ucents`;--> statement-breakpoint
DROP TABLE `reserved_totals`;--> statement-breakpoint
CREATE TRIGGER `reservations_added` AFTER INSERT ON `reservations` WHEN new.`expires_at` < 9007199254740991 BEGIN
	INSERT INTO `reservations` (`organization_id`, `expires_at`, `kind`, `subject_id`, `amount_ucents`)
		VALUES (new.`organization_id`, 9007199254740991, CASE new.`kind` WHEN 'refund' THEN 'refunds' ELSE 'use' END, new.`organization_id`, new.`amount_ucents`)
		ON CONFLICT DO UPDATE SET `amount_ucents` = `amount_ucents` + excluded.`amount_ucents`;
END;--> statement-breakpoint
CREATE TRIGGER `reservations_changed` AFTER UPDATE OF `amount_ucents` ON `reservations` WHEN new.`expires_at` < 9007199254740991 AND old.`amount_ucents` <> new.`amount_ucents` BEGIN
	UPDATE `reservations` SET `amount_ucents` = `amount_ucents` + new.`amount_ucents` - old.`amount_ucents`
		WHERE `organization_id` = new.`organization_id` AND `expires_at` = 9007199254740991 AND `kind` = CASE new.`kind` WHEN 'refund' THEN 'refunds' ELSE 'use' END AND `subject_id` = new.`organization_id`;
END;--> statement-breakpoint
CREATE TRIGGER `reservations_removed` AFTER DELETE ON `reservations` WHEN old.`expires_at` < 9007199254740991 BEGIN
	UPDATE `reservations` SET `amount_ucents` = `amount_ucents` - old.`amount_ucents`
		WHERE `organization_id` = old.`organization_id` AND `expires_at` = 9007199254740991 AND `kind` = CASE old.`kind` WHEN 'refund' THEN 'refunds' ELSE 'use' END AND `subject_id` = old.`organization_id`;
END;
