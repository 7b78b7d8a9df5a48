// The plans of organizations. Their names are in billing/checkouts.ts, their fees and lifetimes in config/schema.ts.
export const tiers = ['team', 'business'] as const;

export type Tier = (typeof tiers)[number];
