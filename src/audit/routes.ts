// Operations for reading the audit trail.
import { fromPath, interactive, type Operation, operation } from '../http/operation.ts';
import { id, inOrganizationPath } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { auditQuery, auditRow } from './schema.ts';
import { readOrganizationTrail, readPersonalTrail } from './service.ts';

const tag = 'Audit';
const description =
  'One UTC day (`day`, or today) or an inclusive range of days (`from` and `to`), newest first. A day returns at most 1,000 ' +
  'events and a range at most 5,000; `X-Audit-Truncated: true` means that there are more.';
const header = { name: 'X-Audit-Truncated', description: 'true if there are more events than the response has' };

export const auditRoutes: Operation[] = [
  operation({
    id: 'readOrganizationAudit',
    tag,
    summary: 'Audit trail of an organization',
    description,
    method: 'get',
    path: '/api/v1/audit/organization/{organization_id}',
    access: { kind: 'organization', permission: 'audit.read', tenant: fromPath('organization_id') },
    params: inOrganizationPath,
    query: auditQuery,
    returns: z.array(auditRow),
    status: 200,
    header,
    errors: [503],
    handle: (ctx, { query }) => readOrganizationTrail(ctx, query),
  }),
  operation({
    id: 'readDeveloperAudit',
    tag,
    summary: 'Your own audit trail',
    description,
    method: 'get',
    path: '/api/v1/audit/developer/{developer_id}',
    access: interactive,
    params: z.object({ developer_id: id() }),
    query: auditQuery,
    returns: z.array(auditRow),
    status: 200,
    header,
    errors: [503],
    handle: (ctx, { params, query }) => readPersonalTrail(ctx, params.developer_id, query),
  }),
];
