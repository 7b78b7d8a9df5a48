// Operations for the two-factor authentication policy of an organization.
import { fromPath, type Operation, operation } from '../http/operation.ts';
import { id } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { readMfaPolicy, replaceMfaPolicy } from './policy.ts';
import { mfaPolicy, mfaPolicyBody } from './schema.ts';

const tag = 'Organizations';
const path = '/api/v1/organizations/{organization_id}/mfa-policy';
const params = z.object({ organization_id: id() });
const tenant = fromPath('organization_id');

export const mfaPolicyRoutes: Operation[] = [
  operation({
    id: 'getMfaPolicy',
    tag,
    summary: 'Get the two-factor authentication policy',
    method: 'get',
    path,
    access: { kind: 'organization', permission: 'mfa_policy.read', tenant },
    params,
    returns: mfaPolicy,
    status: 200,
    handle: (ctx) => readMfaPolicy(ctx),
  }),
  operation({
    id: 'replaceMfaPolicy',
    tag,
    summary: 'Change the two-factor authentication policy',
    description:
      'The grace period starts when two-factor authentication becomes required, or when a member joins later. After it, members without a ' +
      'two-factor method get mfa_enrollment_required in this organization, including admins. They can still enroll.',
    method: 'put',
    path,
    access: { kind: 'organization', permission: 'mfa_policy.edit', tenant },
    params,
    body: mfaPolicyBody,
    returns: mfaPolicy,
    status: 200,
    handle: (ctx, { body }) => replaceMfaPolicy(ctx, body),
  }),
];
