CREATE TABLE `reserved_totals` (
	`organization_id` text PRIMARY KEY NOT NULL,
	`ucents` integer NOT NULL,
	`use_ucents` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `billing_accounts_negative` ON `billing_accounts` (`balance_cents`) WHERE balance_cents < 0;--> statement-breakpoint
CREATE INDEX `organizations_lock` ON `organizations` (`lock_reason`) WHERE lock_reason is not null;--> statement-breakpoint
CREATE INDEX `organizations_trial` ON `organizations` (`lock_advances_at`) WHERE lock_reason is null and lock_advances_at is not null;--> statement-breakpoint
-- By hand: the sums of the reservations that exist, and triggers that keep them.
INSERT INTO `reserved_totals` (`organization_id`, `ucents`, `use_ucents`)
	SELECT `organization_id`, sum(`amount_ucents`), sum(CASE WHEN `kind` = 'refund' THEN 0 ELSE `amount_ucents` END)
	FROM `reservations` GROUP BY `organization_id`;--> statement-breakpoint
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
