// The rules of an organization's MFA policy: whether members need a second factor, from when, and of which kind. The kernel
// refuses by it (http/access.ts).

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

/** The policy of the request's organization. */
export function readMfaPolicy(ctx: OrganizationContext): MfaPolicy {
  return toPolicy(loadOrganization(ctx, ctx.organization.id));
}

/**
 * Replaces the policy. A policy that is required already keeps its start, so that saving it again gives nobody more time.
 * A change that changes nothing leaves no trace.
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
