// The whole data model in one module, so that stores can join tables without import cycles.
export * from './accounts.ts';
export * from './build-facts.ts';
export * from './builds.ts';
export * from './certificates.ts';
export * from './channels.ts';
export * from './core.ts';
export * from './devices.ts';
export * from './expiry.ts';
export * from './flags.ts';
export * from './identity.ts';
export * from './organizations.ts';
export * from './reminders.ts';
export * from './removals.ts';
export * from './sdk.ts';
export * from './share-links.ts';
export * from './testers.ts';
export * from './webhooks.ts';
