// Where the packages of an organization are stored, and how many bytes they have.
import type { OrganizationContext } from '../core/context.ts';
import { timestamp, timestampOrNull } from '../lib/clock.ts';
import { startSteps } from '../lib/steps.ts';
import { identityOf } from './access.ts';
import { findActiveContainer } from './outages.ts';
import type { OrganizationStorage } from './schema.ts';
import * as store from './store.ts';

/** Builds that are counted at once, in a few milliseconds. */
const STEP_BUILDS = 1_000;

/** Returns the storage of the organization. Other requests run while its builds are counted. */
export async function readStorage(ctx: OrganizationContext): Promise<OrganizationStorage> {
  const organizationId = ctx.organization.id;
  const usage = await measureUsage(ctx);
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
    usage,
  };
}

async function measureUsage(ctx: OrganizationContext): Promise<OrganizationStorage['usage']> {
  const letOthersRun = startSteps();
  const projects: OrganizationStorage['usage']['projects'] = [];
  for (const { id, name } of store.listProjects(ctx, ctx.organization.id)) {
    const total = { builds: 0, bytes: 0 };
    for (let after: string | null = ''; after !== null; ) {
      const part = store.sumSizes(ctx, id, after, STEP_BUILDS);
      total.builds += part.builds;
      total.bytes += part.bytes;
      after = part.builds < STEP_BUILDS ? null : part.last;
      await letOthersRun();
    }
    projects.push({ project_id: id, name, ...total });
  }
  const sum = (field: 'builds' | 'bytes') => projects.reduce((all, project) => all + project[field], 0);
  return { builds: sum('builds'), bytes: sum('bytes'), projects };
}
