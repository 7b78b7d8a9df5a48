// The request of an organization to store its packages in its own Azure container: sending, withdrawing and validating it.

import { developerIdOf } from '../core/actor.ts';
import type { Context, OrganizationContext, Tx } from '../core/context.ts';
import { bareNotFound, type Reply } from '../http/reply.ts';
import { timestamp, timestampOrNull } from '../lib/clock.ts';
import { AppError, notFound } from '../lib/errors.ts';
import type { OpenContainer } from '../storage/azure/open.ts';
import { cloudOf, openActive, openRequested, secretPurpose } from './access.ts';
import { type BrowserUploads, checkBrowserUploads, corsRuleOf } from './cors.ts';
import { findActiveContainer, runCheckContainerJob } from './outages.ts';
import { type ProbeFailure, probeContainer } from './probe.ts';
import { toReport } from './report.ts';
import type { OnboardingInput, OnboardingRequest, ValidationReport } from './schema.ts';
import * as store from './store.ts';

/** Kind of the job that validates a request. */
export const VALIDATE_JOB = 'validate-storage-request';
/** Validations wait for other services, which must not delay other jobs. */
export const VALIDATE_LANE = 'storage-requests';

/** Waiting for someone: another request would hide it from them. */
const PENDING: readonly store.RequestRow['status'][] = ['validating', 'awaiting_approval'];
/** A validation decides what comes next. */
const OPEN = [...PENDING, 'validation_failed'] as const satisfies readonly store.RequestRow['status'][];

/** Returns a request as the API shows it. */
export function toRequest(ctx: Pick<Context, 'config'>, row: store.RequestRow): OnboardingRequest {
  return {
    identifier: row.id,
    organization_id: row.organizationId,
    status: row.status,
    tenant_id: row.tenantId,
    client_id: row.clientId,
    storage_account: row.account,
    container: row.container,
    authentication: row.authentication,
    requested_at: timestamp(row.createdAt),
    requested_by_developer_id: row.requestedByDeveloperId,
    validated_at: timestampOrNull(row.validatedAt),
    validation: row.validatedAt === null ? null : toReport(ctx, row, parseFailure(row.report)),
    browser_uploads: row.browserUploads,
    cors_rule: corsRuleOf(ctx),
    decided_at: timestampOrNull(row.decidedAt),
    rejection_reason: row.rejectionReason,
  };
}

/** The stored failure of the last validation; undefined if it succeeded. */
function parseFailure(stored: string | null): ProbeFailure | undefined {
  return stored === null ? undefined : (JSON.parse(stored) as ProbeFailure);
}

/** Returns the request, or a 404 without details if there is none. */
export function readRequest(ctx: OrganizationContext): OnboardingRequest | Reply {
  const row = store.findRequest(ctx, ctx.organization.id);
  if (row !== undefined) return toRequest(ctx, row);
  return bareNotFound();
}

/** Sends a request, which is validated by a job. Replaces one that failed or was decided. Throws `already_exists`. */
export function submitRequest(ctx: OrganizationContext, input: OnboardingInput): OnboardingRequest {
  const organizationId = ctx.organization.id;
  if (!ctx.config.byosa.enabled) {
    throw new AppError('operation_not_allowed', "This server doesn't offer storage in containers of organizations");
  }
  return ctx.transact((tx) => {
    const current = store.findRequest(tx, organizationId);
    if (current !== undefined && PENDING.includes(current.status)) {
      throw new AppError('already_exists', 'The organization already has a request. Withdraw it first', {
        status: current.status,
      });
    }
    if (current !== undefined) store.deleteRequest(tx, current.id);
    const secret = input.client_secret ?? null;
    const row: store.RequestRow = {
      id: tx.ids.next(),
      organizationId,
      tenantId: input.tenant_id,
      clientId: input.client_id,
      account: input.storage_account,
      container: input.container,
      authentication: secret === null ? 'federation' : 'secret',
      clientSecretEncrypted: secret === null ? null : tx.secrets.encrypt(secret, secretPurpose(organizationId)),
      status: 'validating',
      report: null,
      validatedAt: null,
      browserUploads: null,
      rejectionReason: null,
      decidedAt: null,
      requestedByDeveloperId: developerIdOf(tx.actor),
      createdAt: tx.now,
    };
    store.insertRequest(tx, row);
    tx.record('storage_request.created', { identifier: row.id, organizationId, details: detailsOf(row) });
    tx.enqueue({ kind: VALIDATE_JOB, payload: { request_id: row.id }, dedupeKey: `${VALIDATE_JOB} ${row.id}` });
    return toRequest(tx, row);
  });
}

/** What the audit trail says about a request. */
export function detailsOf(row: store.RequestRow): Record<string, string> {
  return {
    storage_account: row.account,
    container: row.container,
    tenant_id: row.tenantId,
    client_id: row.clientId,
    authentication: row.authentication,
  };
}

/** Withdraws the request. Throws `not_found` without one, and `operation_not_allowed` after it was approved. */
export function withdrawRequest(ctx: OrganizationContext): void {
  ctx.transact((tx) => {
    const row = store.findRequest(tx, ctx.organization.id);
    if (row === undefined) throw notFound();
    if (row.status === 'approved') {
      throw new AppError('operation_not_allowed', "An approved request can't be withdrawn");
    }
    store.deleteRequest(tx, row.id);
    const { organizationId } = row;
    tx.record('storage_request.withdrawn', { identifier: row.id, organizationId, details: detailsOf(row) });
  });
}

/**
 * Validates the container of the request now and returns the report. Throws `operation_not_allowed` without a request, and
 * `rate_limit_exceeded` while a validation is running.
 */
export async function diagnose(ctx: OrganizationContext): Promise<ValidationReport> {
  const organizationId = ctx.organization.id;
  const row = store.findRequest(ctx, organizationId);
  // The secret of a decided request is deleted.
  if (row === undefined || row.status === 'approved' || row.status === 'rejected') {
    return diagnoseContainer(ctx, organizationId, row);
  }
  const result = await cloudOf(ctx).once(organizationId, () => validate(ctx, () => openRequested(ctx, row), row.id));
  saveResult(ctx, row, result);
  return toReport(ctx, row, result.failure);
}

async function diagnoseContainer(
  ctx: Context,
  organizationId: string,
  request: store.RequestRow | undefined,
): Promise<ValidationReport> {
  const container = findActiveContainer(ctx, organizationId);
  if (container === undefined) {
    throw new AppError('operation_not_allowed', 'The organization has no request and no container');
  }
  const open = () => openActive(ctx, organizationId, container);
  const result = await cloudOf(ctx).once(organizationId, () => validate(ctx, open, container.id));
  const { failure } = result;
  if (request?.status === 'approved') saveResult(ctx, request, result);
  // Ends an outage.
  if (failure === undefined) await runCheckContainerJob(ctx, { container_id: container.id });
  return toReport(
    ctx,
    { ...container, organizationId, authentication: container.secretEncrypted === null ? 'federation' : 'secret' },
    failure,
  );
}

/** The job: validates a request that still waits for it. */
export async function runValidateJob(ctx: Context, payload: Record<string, unknown>): Promise<void> {
  const row = store.findRequestById(ctx, String(payload.request_id));
  if (row?.status !== 'validating') return;
  const result = await validate(ctx, () => openRequested(ctx, row), row.id);
  if (ctx.db.$client.open) saveResult(ctx, row, result);
}

interface Result {
  failure: ProbeFailure | undefined;
  browserUploads: BrowserUploads | null;
}

/** Does everything that builds need. Uploads by browsers are optional, so they're only looked at if everything else works. */
async function validate(ctx: Context, open: () => OpenContainer, id: string): Promise<Result> {
  const failure = await probeContainer(open, id);
  if (failure !== undefined) return { failure, browserUploads: null };
  const { location } = open().client;
  return { failure, browserUploads: await checkBrowserUploads(cloudOf(ctx).transport, location, corsRuleOf(ctx)) };
}

/** Saves the result, unless the request was withdrawn, replaced or decided since. */
function saveResult(ctx: Context, row: store.RequestRow, result: Result): void {
  ctx.transact((tx) => writeResult(tx, row.id, result), { bookkeeping: true });
}

function writeResult(tx: Tx, id: string, { failure, browserUploads }: Result): void {
  const result = {
    report: failure === undefined ? null : JSON.stringify(failure),
    validatedAt: tx.now,
    browserUploads,
  };
  const status = failure === undefined ? 'awaiting_approval' : 'validation_failed';
  if (!store.changeRequest(tx, id, OPEN, { ...result, status })) store.changeRequest(tx, id, ['approved'], result);
}
