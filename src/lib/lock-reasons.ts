// Why an organization is locked (docs/specification/organizations.md#lock).
export const lockReasons = ['suspended', 'awaiting_payment', 'grace'] as const;

export type LockReason = (typeof lockReasons)[number];
