// The one answer to every message of an identity provider that is not accepted: it says nothing about why.

import type { Context } from '../../core/context.ts';
import type { Reply } from '../../http/reply.ts';
import { AppError } from '../../lib/errors.ts';
import { noticePage } from '../../pages/frame.ts';
import { RefusedMessage } from '../../saml/errors.ts';

const MESSAGE = 'What the identity provider sent was not accepted. Begin the sign-in again.';

/** Runs what handles a message; what it refuses becomes an audit row and the same answer each time. */
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
    return noticePage('You are not signed in', MESSAGE, refusal.status);
  }
}

/** Whether a person looks at the answer: browsers ask for a page when they follow a form or a link. */
function isForPeople({ request }: Context): boolean {
  return request.header('accept')?.includes('text/html') === true;
}
