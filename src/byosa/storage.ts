// Where the packages of an organization are stored, and how many bytes they have.
import type { OrganizationContext } from '../core/context.ts';
import { timestamp, timestampOrNull } from '../lib/clock.ts';
import { identityOf } from './access.ts';
import { findActiveContainer } from './outages.ts';
import type { OrganizationStorage } from './schema.ts';
import * as store from './store.ts';

/** Returns the storage of the organization. */
export function readStorage(ctx: OrganizationContext): OrganizationStorage {
  const organizationId = ctx.organization.id;
  const container = findActiveContainer(ctx, organizationId);
  return {
    organization_id: organizationId,
    backend: container === undefined ? 'hosted' : 'azure',
    container:
      container === undefined
        ? null
        : {
            storage_account: container.account,
            container: container.container,
            activated_at: timestamp(container.activatedAt),
            unreachable_since: timestampOrNull(container.unreachableSince),
            unreachable_reason: container.unreachableReason,
          },
    byosa_enabled: ctx.config.byosa.enabled,
    federation: identityOf(ctx, organizationId),
    usage: readUsage(ctx),
  };
}

function readUsage(ctx: OrganizationContext): OrganizationStorage['usage'] {
  const projects = store
    .listUsage(ctx, ctx.organization.id)
    .map(({ id, name, builds, bytes }) => ({ project_id: id, name, builds, bytes }));
  const sum = (field: 'builds' | 'bytes') => projects.reduce((all, project) => all + project[field], 0);
  return { builds: sum('builds'), bytes: sum('bytes'), projects };
}
