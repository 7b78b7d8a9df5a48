-- By hand: marks the starter credit of accounts, which had only its note. An operator can write that note too, but later than the account.
UPDATE `credit_entries` SET `provider_id` = 'starter-credit:' || `organization_id` WHERE `id` IN (
	SELECT min(`id`) FROM `credit_entries`
		WHERE `kind` = 'topup' AND `source` = 'operator' AND `operator_name` = 'Taxiway' AND `note` = 'Starter credit' AND `provider_id` IS NULL
		GROUP BY `organization_id`
);
