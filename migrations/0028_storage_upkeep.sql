ALTER TABLE `customer_containers` ADD `orphaned_at` integer;--> statement-breakpoint
ALTER TABLE `storage_requests` ADD `browser_uploads` text;--> statement-breakpoint
CREATE INDEX `object_places_containers` ON `object_places` (`backend`) WHERE backend like 'azure:%';