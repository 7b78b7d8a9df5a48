// The single response to all rejected messages of an identity provider. It doesn't reveal the reason.

import type { Context } from '../../core/context.ts';
import type { Reply } from '../../http/reply.ts';
import { AppError } from '../../lib/errors.ts';
import { noticePage } from '../../pages/frame.ts';
import { RefusedMessage } from '../../saml/errors.ts';

const MESSAGE = 'The response of the identity provider was rejected. Sign in again.';

/** Runs a message handler. Rejected messages are recorded and all get the same response. */
export async function withErrorPage(
  ctx: Context,
  organizationId: string,
  handle: () => Promise<Reply>,
): Promise<Reply> {
  try {
    return await handle();
  } catch (error) {
    if (!(error instanceof RefusedMessage)) throw error;
    ctx.transact((tx) =>
      tx.record('sso.login_failed', { identifier: organizationId, organizationId, details: { reason: error.reason } }),
    );
    const refusal = new AppError('unauthorized', MESSAGE);
    if (!isForPeople(ctx)) throw refusal;
    return noticePage('Sign-in failed', MESSAGE, refusal.status);
  }
}

/** Returns whether the request comes from a browser, so that a person reads the response. */
function isForPeople({ request }: Context): boolean {
  return request.header('accept')?.includes('text/html') === true;
}
