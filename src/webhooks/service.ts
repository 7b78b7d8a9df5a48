// The rules for webhook subscriptions: events, URLs and secrets.

import { developerIdOf } from '../core/actor.ts';
import type { Context, OrganizationContext, Tx } from '../core/context.ts';
import { FIRST_PAGE, type Page, type PageRequest, readPageInSteps } from '../core/paging.ts';
import { timestamp, timestampOrNull } from '../lib/clock.ts';
import { AppError, notFound } from '../lib/errors.ts';
import { startSteps } from '../lib/steps.ts';
import { hostOf } from '../lib/url-host.ts';
import { fieldError } from '../lib/validation.ts';
import { refusalOfUrl } from '../outbound/addresses.ts';
import { SealedValueError } from '../runtime/secrets.ts';
import { isChatFormat } from '../webhook-events.ts';
import { countOpenDeliveries, type DeliveryRow, deleteDeliveriesOf, findFailures } from './delivery-store.ts';
import { deliveryRunnerOf } from './runner.ts';
import type { Webhook, WebhookChange, WebhookInput, WebhookWithSecret } from './schema.ts';
import { openSubscription, secretPurpose, urlPurpose } from './sealed-subscription.ts';
import * as store from './store.ts';
import { deleteUnsubscribed, listedEvents } from './subscribed.ts';

const SECRET_PREFIX = 'svc_whsec_';
/** Limits the work for each event. */
const MAX_SUBSCRIPTIONS = 500;
/** Failed and waiting deliveries aren't counted beyond this number. */
const MAX_FAILURES = 100;
/** Most deliveries deleted in one transaction, so that other requests can run in between. */
export const MAX_DELETED_PER_STEP = 1_000;

/** Encrypts URL and secret for the row of a subscription. */
export function sealSubscription(
  { secrets }: Pick<Context, 'secrets'>,
  id: string,
  { url, secret }: { url: string; secret: string },
): Pick<store.SubscriptionRow, 'sealedUrl' | 'sealedSecret'> {
  return {
    sealedUrl: secrets.encrypt(url, urlPurpose(id)),
    sealedSecret: secrets.encrypt(secret, secretPurpose(id)),
  };
}

/**
 * Returns the decrypted URL and secret of a subscription. Returns undefined if they are damaged and logs it, because a
 * damaged row must not hide the others.
 */
function tryOpen(ctx: Context, row: store.SubscriptionRow): { url: string } | undefined {
  try {
    return openSubscription(ctx, row);
  } catch (error) {
    if (!(error instanceof SealedValueError)) throw error;
    ctx.log.error({ err: error, webhook_id: row.id }, 'damaged webhook');
    return undefined;
  }
}

function toWebhook(ctx: Context, row: store.SubscriptionRow): Webhook {
  const opened = tryOpen(ctx, row);
  return {
    identifier: row.id,
    organization_id: row.organizationId,
    project_id: row.projectId,
    url: opened?.url ?? '',
    damaged: opened === undefined,
    events: listedEvents(row),
    format: row.format,
    description: row.description,
    active: row.active,
    created_at: timestamp(row.createdAt),
    created_by: row.createdBy,
    secret_rotated_at: timestampOrNull(row.rotatedAt),
  };
}

/**
 * Creates a subscription and returns its signing secret, which is shown only once, unless it's for a chat. Throws `not_found` for a project of
 * another organization, `validation_error` for a URL that webhooks can't be sent to, and `quota_exceeded` above 500 in
 * an organization.
 */
export function createWebhook(ctx: OrganizationContext, input: WebhookInput): WebhookWithSecret {
  refuseAddress(ctx, input.url);
  return ctx.transact((tx) => {
    const organizationId = ctx.organization.id;
    refuseForeignProject(tx, organizationId, input.project_id);
    if (store.countSubscriptions(tx, organizationId) >= MAX_SUBSCRIPTIONS) {
      throw new AppError('quota_exceeded', `An organization can have at most ${MAX_SUBSCRIPTIONS} webhooks`, {
        limit: MAX_SUBSCRIPTIONS,
      });
    }
    const id = tx.ids.next();
    const secret = tx.secrets.token(SECRET_PREFIX);
    const row: store.SubscriptionRow = {
      id,
      organizationId,
      projectId: input.project_id ?? null,
      ...sealSubscription(tx, id, { url: input.url, secret }),
      events: JSON.stringify(input.events),
      format: input.format,
      description: input.description ?? null,
      active: input.active,
      createdAt: tx.now,
      createdBy: developerIdOf(tx.actor),
      rotatedAt: null,
    };
    store.insertSubscription(tx, row);
    record(tx, 'webhook.created', row, {
      host: new URL(input.url).host,
      events: input.events,
      format: row.format,
      active: row.active,
    });
    return { ...toWebhook(ctx, row), secret: isChatFormat(row.format) ? null : secret };
  });
}

/** Returns a page of the organization's subscriptions, newest first, without their secrets. */
export function listWebhooks(ctx: OrganizationContext, request: PageRequest): Promise<Page<Webhook>> {
  return readPageInSteps(
    ctx,
    request,
    (before, limit) => store.listSubscriptions(ctx, ctx.organization.id, before, limit),
    (row) => toWebhook(ctx, row),
  );
}

/** A webhook whose last delivery failed, or that is disabled while deliveries wait. */
export interface FailingWebhook {
  id: string;
  /** Its description or else its host; null if its URL is damaged. Untrusted text. */
  name: string | null;
  active: boolean;
  /** Deliveries that failed since the last success, or that wait until it is enabled; counted up to 100. */
  deliveries: number;
  lastFailure: DeliveryRow | null;
}

/** Returns the failing webhooks of the organization, newest first. Each webhook costs a few index seeks. */
export async function listFailing(ctx: OrganizationContext): Promise<FailingWebhook[]> {
  const step = startSteps();
  const failing: FailingWebhook[] = [];
  for (const row of store.listSubscriptions(ctx, ctx.organization.id, FIRST_PAGE, MAX_SUBSCRIPTIONS)) {
    await step();
    const failures = row.active ? findFailures(ctx, row.id, MAX_FAILURES) : undefined;
    const deliveries = row.active ? (failures?.count ?? 0) : countOpenDeliveries(ctx, row.id, MAX_FAILURES);
    if (deliveries === 0) continue;
    const name = row.description ?? hostOf(tryOpen(ctx, row)?.url ?? '') ?? null;
    failing.push({ id: row.id, name, active: row.active, deliveries, lastFailure: failures?.last ?? null });
  }
  return failing;
}

/** Returns a subscription of the organization. Throws `not_found`. */
export function readWebhook(ctx: OrganizationContext, id: string): Webhook {
  return toWebhook(ctx, store.loadSubscription(ctx, ctx.organization.id, id));
}

/**
 * Changes the given fields. Pending deliveries use the new URL and format, and end if the subscription no longer
 * receives their event. An inactive subscription sends nothing; pending deliveries continue when it is active again.
 */
export function changeWebhook(ctx: OrganizationContext, id: string, change: WebhookChange): Webhook {
  if (change.url !== undefined) refuseAddress(ctx, change.url);
  const after = ctx.transact((tx) => {
    const row = store.loadSubscription(tx, ctx.organization.id, id);
    if (change.project_id !== row.projectId) refuseForeignProject(tx, row.organizationId, change.project_id);
    const before = toWebhook(ctx, row);
    const wanted: Partial<store.SubscriptionRow> = {
      projectId: change.project_id === undefined ? row.projectId : change.project_id,
      sealedUrl:
        change.url === undefined || change.url === before.url
          ? row.sealedUrl
          : tx.secrets.encrypt(change.url, urlPurpose(id)),
      events: JSON.stringify(change.events ?? before.events),
      format: change.format ?? row.format,
      description: change.description === undefined ? row.description : change.description,
      active: change.active ?? row.active,
    };
    const changed = { ...row, ...wanted };
    const webhook = toWebhook(ctx, changed);
    const fields = Object.keys(change).filter(
      (field) => JSON.stringify(Reflect.get(before, field)) !== JSON.stringify(Reflect.get(webhook, field)),
    );
    if (fields.length > 0) {
      store.updateSubscription(tx, id, wanted);
      if (fields.includes('events') || fields.includes('project_id')) deleteUnsubscribed(tx, changed);
      record(tx, 'webhook.edited', changed, { fields, host: hostOf(webhook.url) ?? null });
    }
    return webhook;
  });
  deliveryRunnerOf(ctx).wake();
  return after;
}

/** Deletes a subscription with its deliveries. If there are many, the cleanup job deletes the rest. */
export function deleteWebhook(ctx: OrganizationContext, id: string): void {
  ctx.transact((tx) => {
    const row = store.loadSubscription(tx, ctx.organization.id, id);
    store.deleteSubscription(tx, id);
    deleteDeliveriesOf(tx, [id], MAX_DELETED_PER_STEP);
    record(tx, 'webhook.deleted', row, { host: hostOf(tryOpen(tx, row)?.url ?? '') ?? null });
  });
}

/** Replaces the secret of a subscription and returns the new one, which signs the next attempt. */
export function rotateSecret(ctx: OrganizationContext, id: string): WebhookWithSecret {
  return ctx.transact((tx) => {
    const row = store.loadSubscription(tx, ctx.organization.id, id);
    const secret = tx.secrets.token(SECRET_PREFIX);
    const change = { sealedSecret: tx.secrets.encrypt(secret, secretPurpose(id)), rotatedAt: tx.now };
    store.updateSubscription(tx, id, change);
    record(tx, 'webhook.edited', row, { fields: ['secret'] });
    return { ...toWebhook(ctx, { ...row, ...change }), secret };
  });
}

function refuseForeignProject(tx: Tx, organizationId: string, projectId: string | null | undefined): void {
  if (projectId === null || projectId === undefined) return;
  if (!store.isProjectOf(tx, organizationId, projectId)) throw notFound();
}

/** Rejects IP addresses that webhooks can't be sent to. Names are checked when connecting. */
function refuseAddress({ config }: Context, url: string): void {
  const refusal = refusalOfUrl(new URL(url), config.webhooks);
  if (refusal !== undefined) throw fieldError('body', ['url'], 'value_error', `Not allowed: ${refusal}`);
}

function record(
  tx: Tx,
  event: 'webhook.created' | 'webhook.edited' | 'webhook.deleted',
  row: store.SubscriptionRow,
  details: Record<string, unknown>,
): void {
  const { id, organizationId, projectId } = row;
  tx.record(event, { identifier: id, organizationId, projectId, details: { project_id: projectId, ...details } });
}
