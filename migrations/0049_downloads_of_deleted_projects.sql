-- By hand: deletes the downloads that deleted projects left behind, in steps after the start. The index finds each project without reading
-- its downloads.
INSERT INTO `removals` (`root_id`, `root_table`, `actor_kind`, `facts`, `created_at`)
	WITH RECURSIVE `left_by`(`id`) AS (
		SELECT min(`project_id`) FROM `downloads`
		UNION ALL
		SELECT (SELECT min(`project_id`) FROM `downloads` WHERE `project_id` > `left_by`.`id`) FROM `left_by` WHERE `left_by`.`id` IS NOT NULL
	)
	SELECT `id`, 'projects', 'system', '{}', CAST(unixepoch('subsec') * 1000 AS INTEGER) FROM `left_by`
	WHERE `id` IS NOT NULL AND `id` NOT IN (SELECT `id` FROM `projects`) AND `id` NOT IN (SELECT `root_id` FROM `removals`);
