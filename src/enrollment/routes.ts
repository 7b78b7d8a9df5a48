// Operations that create enrollment links.
import { enrollment, enrollmentInput, ownEnrollmentInput } from '../devices/schema.ts';
import { fromQuery, interactive, type Operation, operation } from '../http/operation.ts';
import { inOrganization } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { createEnrollment, createOwnEnrollment } from './service.ts';

const tag = 'Devices';

export const enrollmentLinkRoutes: Operation[] = [
  operation({
    id: 'createDeviceEnrollment',
    tag,
    summary: 'Create a link for registering devices',
    description:
      'The link works for one hour and any number of devices. Members can create it for themselves or without an owner, managers for any member or tester.',
    method: 'post',
    path: '/api/v1/devices/enrollments',
    access: { kind: 'organization', permission: 'device.enroll', tenant: fromQuery },
    query: z.object(inOrganization),
    body: enrollmentInput,
    isBodyOptional: true,
    returns: enrollment,
    status: 201,
    handle: (ctx, { body }) => createEnrollment(ctx, body),
  }),
  operation({
    id: 'createOwnDeviceEnrollment',
    tag,
    summary: 'Create a link for registering your own device',
    description: "For testers, who aren't members of the organization.",
    method: 'post',
    path: '/api/v1/testers/me/devices/enrollments',
    access: interactive,
    query: z.object(inOrganization),
    body: ownEnrollmentInput,
    isBodyOptional: true,
    returns: enrollment,
    status: 201,
    errors: [402, 404],
    handle: (ctx, { query, body }) => createOwnEnrollment(ctx, query.organization_id, body.name ?? null),
  }),
];
