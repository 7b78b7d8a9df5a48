// The list of all organizations for the operator.

import type { App } from '../core/context.ts';
import { lockOf } from '../http/organization-lock.ts';
import { timestamp } from '../lib/clock.ts';
import type { LockReason } from '../lib/lock-reasons.ts';
import type { Tier } from '../lib/tiers.ts';

export interface OrganizationOverview {
  identifier: string;
  name: string;
  tier: Tier;
  lock_reason: LockReason | null;
  members: number;
  projects: number;
  builds: number;
  created_at: string;
}

type Row = Omit<OrganizationOverview, 'created_at'> & { created_at: number; lock_advances_at: number | null };

/** Returns all organizations with their numbers of members and projects, oldest first. */
export function listOrganizations({ db, clock, config }: Pick<App, 'db' | 'clock' | 'config'>): OrganizationOverview[] {
  const rows = db.$client.prepare<[], Row>(
    `SELECT o.id AS identifier, o.name, o.tier, o.lock_reason, o.lock_advances_at,
        (SELECT count(*) FROM organization_memberships m WHERE m.organization_id = o.id) AS members,
        (SELECT count(*) FROM projects p WHERE p.organization_id = o.id) AS projects,
        (SELECT coalesce(sum(builds), 0) FROM build_totals b WHERE b.organization_id = o.id) AS builds,
        o.created_at
      FROM organizations o ORDER BY o.id`,
  );
  return rows.all().map(({ lock_advances_at: lockAdvancesAt, lock_reason: lockReason, ...row }) => ({
    ...row,
    lock_reason: config.billing.enabled ? lockOf({ clock }, { lockReason, lockAdvancesAt }) : null,
    created_at: timestamp(row.created_at),
  }));
}
