// Refunds that the operator asked of the provider. They reserve their amount until the provider approves or rejects them, which can
// take days. The id of the request is part of the reason, so that it is recognized even if the answer is lost.
import type { Context, Tx } from '../core/context.ts';
import { MINUTE } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { findAccount } from './accounts.ts';
import { forfeit } from './cancellation.ts';
import { findCheckoutOfTransaction } from './checkout-store.ts';
import { askPaddle, PADDLE_JOB_ATTEMPTS, type Paddle, PaddleRefusal, usesPaddle } from './paddle.ts';
import { findRefund, type RefundRequest, releaseReservation, reserveRefund } from './reservations.ts';

/** The provider's limit. A payment has a few at most. */
const MAX_PER_PAGE = 50;
const REASON = /^Refund ([0-9a-f-]{36})/;

export const CONFIRM_REFUND_JOB = 'confirm-refund';
/** Longer than the request that asks for a refund. */
const CONFIRM_DELAY_MS = MINUTE;

/**
 * Asks the provider for a refund of a top-up, if `admit` doesn't throw in the transaction that reserves it. The balance changes when
 * the provider approves it. Throws `operation_not_allowed` if payments don't go through the provider or if it rejects the refund at
 * once, and `payment_provider_unavailable`; then the amount stays reserved only until the provider can say whether it has the refund.
 */
export async function requestRefund(
  ctx: Context,
  transactionId: string,
  request: RefundRequest,
  admit: (tx: Tx) => void,
): Promise<void> {
  requireRefundable(ctx, transactionId, request);
  const id = ctx.transact(
    (tx) => {
      admit(tx);
      const reserved = reserveRefund(tx, request);
      // The provider may not get the request, and this process may not learn that.
      const payload = { refund_id: reserved, transaction_id: transactionId };
      tx.enqueue({ kind: CONFIRM_REFUND_JOB, payload, delayMs: CONFIRM_DELAY_MS, maxAttempts: PADDLE_JOB_ATTEMPTS });
      return reserved;
    },
    { bookkeeping: true },
  );
  await askForRefund(ctx, transactionId, request, id);
}

/** Throws `operation_not_allowed` if the provider can't pay back a part of the transaction to the organization. */
function requireRefundable(
  ctx: Context,
  transactionId: string,
  { organizationId, amountCents, feeCents }: RefundRequest,
): void {
  // The provider's approval couldn't be received, so the amount would be paid back and stay on the balance.
  if (!usesPaddle(ctx)) {
    throw new AppError(
      'operation_not_allowed',
      'Online payments are off on this server. Leave out --transaction and pay the amount back yourself',
    );
  }
  const checkout = findCheckoutOfTransaction(ctx, transactionId);
  if (checkout?.organizationId !== organizationId || checkout.purpose !== 'topup') {
    throw new AppError('operation_not_allowed', 'The organization has no top-up with this transaction');
  }
  if (amountCents <= (feeCents ?? 0))
    throw new AppError('operation_not_allowed', 'The fee must be lower than the amount');
}

/** Asks the provider for a reserved refund, and ends the request if the provider doesn't have it. */
function askForRefund(
  ctx: Context,
  transactionId: string,
  { amountCents, feeCents, note }: RefundRequest,
  id: string,
): Promise<void> {
  const paidBack = amountCents - (feeCents ?? 0);
  const release = () => ctx.transact((tx) => dropRefund(tx, id), { bookkeeping: true });
  return askPaddle(ctx, async ({ transactions, adjustments }) => {
    const item = await transactions.get(transactionId).then(
      ({ details }) => details?.lineItems[0]?.id,
      (error: unknown) => {
        release();
        throw error;
      },
    );
    try {
      if (item === undefined) throw new PaddleRefusal('transaction_without_items');
      await adjustments.create({
        action: 'refund',
        type: 'partial',
        taxMode: 'external',
        transactionId,
        reason: `Refund ${id}${note === null ? '' : `: ${note}`}`,
        items: [{ itemId: item, type: 'partial', amount: String(paidBack) }],
      });
    } catch (error) {
      if (error instanceof PaddleRefusal) {
        release();
        throw new AppError('operation_not_allowed', `The payment provider rejected the refund: ${error.code}`);
      }
      // If the provider can't be asked either, it may have received the request.
      const adjustmentId = await findAdjustment(adjustments, transactionId, id).catch(() => {
        throw error;
      });
      if (adjustmentId !== undefined) return;
      // One that the provider still creates counts as made there.
      release();
      throw error;
    }
  });
}

/** Runs a job: ends a request that the provider never got. */
export async function runConfirmRefundJob(
  ctx: Context,
  { refund_id: id, transaction_id: transactionId }: Record<string, unknown>,
): Promise<void> {
  if (typeof id !== 'string' || typeof transactionId !== 'string') return;
  if (!usesPaddle(ctx) || findRefund(ctx, id) === undefined) return;
  const adjustmentId = await askPaddle(ctx, ({ adjustments }) => findAdjustment(adjustments, transactionId, id));
  if (adjustmentId !== undefined) return;
  ctx.transact((tx) => dropRefund(tx, id), { bookkeeping: true });
}

function dropRefund(tx: Tx, id: string): void {
  const request = findRefund(tx, id);
  if (request !== undefined) rejectRefundRequest(tx, request);
}

/** Returns the adjustment of a request whose answer was lost, if the provider has it. */
async function findAdjustment(
  adjustments: Paddle['adjustments'],
  transactionId: string,
  id: string,
): Promise<string | undefined> {
  const page = await adjustments.list({ transactionId: [transactionId], perPage: MAX_PER_PAGE }).next();
  return page.find(({ reason }) => idOf(reason) === id)?.id;
}

function idOf(reason: string | null | undefined): string | undefined {
  return REASON.exec(reason ?? '')?.[1];
}

/** Returns the request that an adjustment belongs to, if we made it. */
export function findRefundRequest(tx: Tx, organizationId: string, { reason }: { reason?: string | null | undefined }) {
  const id = idOf(reason);
  const found = id === undefined ? undefined : findRefund(tx, id);
  return found?.organizationId === organizationId ? found : undefined;
}

/** Ends a request that the provider rejected or never got. A deleted organization forfeits its amount. */
export function rejectRefundRequest(tx: Tx, request: NonNullable<ReturnType<typeof findRefund>>): void {
  const { id, organizationId, amountCents } = request;
  releaseReservation(tx, 'refund', id);
  if (findAccount(tx, organizationId)?.isDeleted === true) forfeit(tx, organizationId, amountCents);
}

/** Ends a request that was approved. */
export function endRefundRequest(tx: Tx, { id }: { id: string }): void {
  releaseReservation(tx, 'refund', id);
}
