// Operations that create enrollment links.
import { z } from 'zod';
import { enrollment, enrollmentInput, ownEnrollmentInput } from '../devices/schema.ts';
import { fromQuery, interactive, type Operation, operation } from '../http/operation.ts';
import { inOrganization } from '../lib/shapes.ts';
import { createEnrollment, createOwnEnrollment } from './service.ts';

const tag = 'Devices';

export const enrollmentLinkRoutes: Operation[] = [
  operation({
    id: 'createDeviceEnrollment',
    tag,
    summary: 'Make a link by which devices register themselves',
    description:
      'The link works for an hour, for any number of devices. Members make it for themselves or for nobody; managers for any member or tester.',
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
    summary: 'Make a link by which a device of mine registers itself',
    description: 'For testers, who are no members of the organization.',
    method: 'post',
    path: '/api/v1/testers/me/devices/enrollments',
    access: interactive,
    query: z.object(inOrganization),
    body: ownEnrollmentInput,
    isBodyOptional: true,
    returns: enrollment,
    status: 201,
    errors: [404],
    handle: (ctx, { query, body }) => createOwnEnrollment(ctx, query.organization_id, body.name ?? null),
  }),
];
