DROP INDEX `releases_build`;--> statement-breakpoint
CREATE INDEX `releases_build` ON `releases` (`build_id`,`id`,`channel_id`);