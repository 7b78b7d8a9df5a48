// The operation for reading the feature flags of an organization. There is none for changing them.
import { fromPath, type Operation, operation } from '../http/operation.ts';
import { id, inOrganizationPath } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { readFlags } from './service.ts';

const featureFlags = z
  .object({
    organization_id: id(),
    flags: z.record(z.string(), z.boolean()).meta({ description: 'Only active flags. Missing keys mean false' }),
  })
  .meta({ id: 'FeatureFlags' });

export const flagRoutes: Operation[] = [
  operation({
    id: 'getFeatureFlags',
    tag: 'Organizations',
    summary: 'Feature flags of an organization',
    method: 'get',
    path: '/api/v1/organizations/{organization_id}/feature-flags',
    access: { kind: 'organization', permission: 'organization.read', tenant: fromPath('organization_id') },
    params: inOrganizationPath,
    returns: featureFlags,
    status: 200,
    handle: (ctx) => ({ organization_id: ctx.organization.id, flags: readFlags(ctx, ctx.organization.id) }),
  }),
];
