// The page of a channel invitation link. Opening it doesn't use the link.

import type { Context } from '../../core/context.ts';
import type { Reply } from '../../http/reply.ts';
import { AppError } from '../../lib/errors.ts';
import { html } from '../../lib/html.ts';
import { CHANNEL_INVITATION_LIFETIME_MS, englishLifetime } from '../../lib/lifetimes.ts';
import { framedPage, noticePage } from '../../pages/frame.ts';
import type { ChannelInvitePreview } from './schema.ts';
import { previewInvite } from './service.ts';

/** Returns the page of an invitation, or a page with status 404 if the link is invalid. */
export function showInvitePage(ctx: Context, token: string): Reply {
  let preview: ChannelInvitePreview;
  try {
    preview = previewInvite(ctx, token);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
    return noticePage(
      'This invitation is no longer valid',
      `It was already used or revoked, has expired (after ${englishLifetime(CHANNEL_INVITATION_LIFETIME_MS)}) or is incomplete. Ask for a new one.`,
      404,
    );
  }
  const title = `Test ${preview.project_name}`;
  const command =
    `curl -X POST ${ctx.config.server.base_url}/api/v1/testers/invites/accept -H "authorization: Bearer $ACCESS_TOKEN" ` +
    `-H 'content-type: application/json' -d '{"invite_token":"${token}"}'`;
  const main = html`<main class="alone"><section class="card"><h1>${title}</h1>
<p>You are invited to test ${preview.project_name} of ${preview.organization_name}, on the channel ${preview.channel_name}. The
link works once, until <time datetime="${preview.expires_at}">${`${preview.expires_at.slice(11, 16)} UTC`}</time>.</p>
<p>To accept, sign in with the invited email address and run:</p>
<p class="address">${command}</p></section></main>`;
  return framedPage(title, main, 200);
}
