// Operations of billing that concern no payment provider.
import { fromPath, type Operation, operation } from '../http/operation.ts';
import { inOrganizationPath, pageQuery } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { listLargestBuilds } from './largest-builds.ts';
import {
  billingState,
  creditPage,
  largestBuilds,
  spendCap,
  spendCapInput,
  usage,
  usageDays,
  usageQuery,
} from './schema.ts';
import { listCredits, readBilling, readSpendCap, readUsage, readUsageDays, setSpendCap } from './service.ts';

const tag = 'Billing';
const params = inOrganizationPath;
const tenant = fromPath('organization_id');
const base = '/api/v1/organizations/{organization_id}';
const read = { kind: 'organization', permission: 'billing.read', tenant } as const;

export const billingRoutes: Operation[] = [
  operation({
    id: 'getBilling',
    tag,
    summary: 'Get plan, lock, balance and prices of an organization',
    description: 'With billing off, enabled is false, amounts are 0 and the rest is null or none.',
    method: 'get',
    path: `${base}/billing`,
    access: read,
    params,
    returns: billingState,
    status: 200,
    handle: (ctx) => readBilling(ctx, ctx.organization.id),
  }),
  operation({
    id: 'getUsage',
    tag,
    summary: 'Get what an organization used in a month, and its cost',
    method: 'get',
    path: `${base}/usage`,
    access: read,
    params,
    query: usageQuery,
    returns: usage,
    status: 200,
    handle: (ctx, { query }) => readUsage(ctx, query.month),
  }),
  operation({
    id: 'getUsageDays',
    tag,
    summary: 'Get what an organization used on each day of a month, and its cost',
    description: 'Days without metered use, and days more than 400 days ago, are left out.',
    method: 'get',
    path: `${base}/usage/days`,
    access: read,
    params,
    query: usageQuery,
    returns: usageDays,
    status: 200,
    handle: (ctx, { query }) => readUsageDays(ctx, query.month),
  }),
  operation({
    id: 'listLargestBuilds',
    tag,
    summary: 'List the ten largest builds of an organization',
    method: 'get',
    path: `${base}/usage/largest-builds`,
    access: read,
    params,
    returns: largestBuilds,
    status: 200,
    handle: (ctx) => listLargestBuilds(ctx),
  }),
  operation({
    id: 'listCredits',
    tag,
    summary: 'List top-ups and refunds',
    method: 'get',
    path: `${base}/credits`,
    access: read,
    params,
    query: z.object(pageQuery),
    returns: creditPage,
    status: 200,
    handle: (ctx, { query }) => listCredits(ctx, query),
  }),
  operation({
    id: 'getSpendCap',
    tag,
    summary: 'Get the monthly cap on metered use',
    method: 'get',
    path: `${base}/spend-cap`,
    access: read,
    params,
    returns: spendCap,
    status: 200,
    handle: (ctx) => readSpendCap(ctx),
  }),
  operation({
    id: 'replaceSpendCap',
    tag,
    summary: 'Change the monthly cap on metered use',
    description:
      'The lower one of this limit and account_ceiling_cents counts. When it is reached, uploads and downloads get ' +
      'spend_cap_exceeded. 0 refuses all of them, null removes the limit.',
    method: 'put',
    path: `${base}/spend-cap`,
    access: { kind: 'organization', permission: 'billing.manage', tenant },
    params,
    body: spendCapInput,
    returns: spendCap,
    status: 200,
    handle: (ctx, { body }) => setSpendCap(ctx, body.monthly_cap_cents),
  }),
];
