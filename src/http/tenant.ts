// Finds the tenant of a request: the organization, and the project and channel, from the ids that its declaration names.
import type { Context } from '../core/context.ts';
import { rowCacheOf } from '../data/row-cache.ts';
import { notFound } from '../lib/errors.ts';
import type { Location, Tenant } from './operation.ts';

export type RawQuery = Record<string, string | undefined>;

/**
 * Finds the tenant of a request. Throws `not_found` if the resource doesn't exist, and if repeated ids contradict each other or
 * the resource (docs/specification/conventions.md#order-of-checks).
 */
export function findLocation(tenant: Tenant, ctx: Context, params: Record<string, unknown>, query: RawQuery): Location {
  let location: Location | undefined;
  if (tenant.in === 'query') {
    const { organization_id: organizationId = '', project_id: projectId } = query;
    location = { organizationId: organizationId.toLowerCase() };
    if (projectId !== undefined) location.projectId = projectId.toLowerCase();
  } else {
    const id = String(params[tenant.parameter]);
    const { locate } = tenant;
    location =
      locate === undefined ? { organizationId: id } : rowCacheOf(ctx).getOrRead(locate, id, () => locate(ctx, id));
  }
  if (location === undefined) throw notFound();
  if (
    hasConflictingIds(ctx.request.rawQuery ?? '') ||
    contradicts(query.organization_id, location.organizationId) ||
    contradicts(params.organization_id, location.organizationId) ||
    contradicts(query.project_id, location.projectId) ||
    contradicts(query.channel_id, location.channelId)
  ) {
    throw notFound();
  }
  return location;
}

/** Whether the query contains an id twice with different values. */
function hasConflictingIds(rawQuery: string): boolean {
  if (!rawQuery.includes('&')) return false;
  const given = new URLSearchParams(rawQuery);
  return ['organization_id', 'project_id', 'channel_id'].some(
    (name) => new Set(given.getAll(name).map((id) => id.toLowerCase())).size > 1,
  );
}

/** Whether an additional id in the request contradicts the resource's. An id that the resource doesn't have can't contradict. */
function contradicts(given: unknown, actual: string | undefined): boolean {
  return typeof given === 'string' && actual !== undefined && given.toLowerCase() !== actual;
}
