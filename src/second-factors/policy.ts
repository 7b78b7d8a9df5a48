// The two-factor authentication policy of an organization: whether members need it, from when, and with which methods.
// http/access.ts enforces it.

import type { OrganizationContext } from '../core/context.ts';
import { timestamp } from '../lib/clock.ts';
import { loadOrganization, type OrganizationRow, updateOrganization } from '../organizations/store.ts';
import type { MfaPolicy, MfaPolicyChange } from './schema.ts';

type PolicyColumns = Pick<OrganizationRow, 'mfaRequiredAt' | 'mfaGracePeriodDays' | 'mfaPasskeySatisfies'>;

function toPolicy(row: PolicyColumns): MfaPolicy {
  return {
    required: row.mfaRequiredAt !== null,
    grace_period_days: row.mfaGracePeriodDays,
    passkey_satisfies: row.mfaPasskeySatisfies,
    required_since: row.mfaRequiredAt === null ? null : timestamp(row.mfaRequiredAt),
  };
}

/** Returns the policy of the request's organization. */
export function readMfaPolicy(ctx: OrganizationContext): MfaPolicy {
  return toPolicy(loadOrganization(ctx, ctx.organization.id));
}

/**
 * Replaces the policy. If it is already required, the start stays the same, so that saving again doesn't extend the
 * grace period. Nothing is recorded if nothing changes.
 */
export function replaceMfaPolicy(ctx: OrganizationContext, wanted: MfaPolicyChange): MfaPolicy {
  return ctx.transact((tx) => {
    const row = loadOrganization(tx, ctx.organization.id);
    const from = toPolicy(row);
    const columns: PolicyColumns = {
      mfaRequiredAt: wanted.required ? (row.mfaRequiredAt ?? tx.now) : null,
      mfaGracePeriodDays: wanted.grace_period_days,
      mfaPasskeySatisfies: wanted.passkey_satisfies,
    };
    const to = toPolicy(columns);
    if (JSON.stringify(from) === JSON.stringify(to)) return to;
    updateOrganization(tx, row.id, columns);
    tx.record('organization.mfa_policy_changed', { identifier: row.id, organizationId: row.id, details: { from, to } });
    return to;
  });
}
