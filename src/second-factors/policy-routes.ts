// Operations on the MFA policy of an organization.
import { z } from 'zod';
import { fromPath, type Operation, operation } from '../http/operation.ts';
import { id } from '../lib/shapes.ts';
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
    summary: 'Whether members need a second factor',
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
    summary: 'Require a second factor of members, or stop to',
    description:
      'The grace period runs from when it was first required, for later members from joining. After it, members without a ' +
      'factor get mfa_enrollment_required in this organization, administrators too; enrolling stays possible.',
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
