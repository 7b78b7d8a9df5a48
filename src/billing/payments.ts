// What people pay online: the card of their plan, and top-ups.

import type { OrganizationContext } from '../core/context.ts';
import type { Tier } from '../lib/tiers.ts';
import { validationError } from '../lib/validation.ts';
import { loadOrganization } from '../organizations/store.ts';
import {
  type OpenedCheckout,
  openCardCheckout,
  openTopUpCheckout,
  requireOnlinePayments,
  requireOrderable,
  withProvider,
} from './checkouts.ts';

/** Opens a checkout for the card of the plan. Throws `operation_not_allowed` without online payments. */
export async function captureCard(ctx: OrganizationContext, wanted: Tier | undefined): Promise<OpenedCheckout> {
  requireOnlinePayments(ctx);
  const { tier } = loadOrganization(ctx, ctx.organization.id);
  if (tier !== wanted) requireOrderable(ctx, wanted);
  return withProvider(ctx, (paddle) => openCardCheckout(ctx, paddle, wanted ?? tier));
}

/** Opens a checkout that adds to the balance. Throws `validation_error` outside the limits of the server. */
export async function topUp(ctx: OrganizationContext, amountCents: number): Promise<OpenedCheckout> {
  requireOnlinePayments(ctx);
  const { topup_min_cents: least, topup_max_cents: most } = ctx.config.billing;
  if (amountCents < least || amountCents > most) {
    throw validationError([
      amountCents < least
        ? {
            type: 'greater_than_equal',
            loc: ['body', 'amount_cents'],
            msg: `Input should be greater than or equal to ${least}`,
          }
        : {
            type: 'less_than_equal',
            loc: ['body', 'amount_cents'],
            msg: `Input should be less than or equal to ${most}`,
          },
    ]);
  }
  return withProvider(ctx, (paddle) => openTopUpCheckout(ctx, paddle, amountCents));
}
