// The page of an invitation link. Opening it doesn't use the link.

import type { Context } from '../core/context.ts';
import type { Reply } from '../http/reply.ts';
import { AppError } from '../lib/errors.ts';
import { html } from '../lib/html.ts';
import { framedPage, noticePage } from '../pages/frame.ts';
import { previewInvitation } from './previews.ts';
import type { InvitationKind } from './schema.ts';

/** Returns the page of an invitation, or a page with status 404 if the link is invalid. */
export function showInvitationPage(ctx: Context, kind: InvitationKind, token: string): Reply {
  let preview: ReturnType<typeof previewInvitation>;
  try {
    preview = previewInvitation(ctx, kind, token);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
    return noticePage(
      'This invitation is no longer valid',
      'It was already used or revoked, has expired or is incomplete. Ask for a new one.',
      404,
    );
  }
  const { base_url: baseUrl } = ctx.config.server;
  const place =
    preview.project_name === null
      ? preview.organization_name
      : `${preview.project_name} of ${preview.organization_name}`;
  const title = `Invitation to ${preview.organization_name}`;
  const command =
    `curl -X POST ${baseUrl}/api/v1/invites/${kind}/accept -H "authorization: Bearer $ACCESS_TOKEN" ` +
    `-H 'content-type: application/json' -d '{"invite_token":"${token}"}'`;
  const main = html`<main class="alone"><section class="card"><h1>${title}</h1>
<p>You are invited to join ${place} with the role: ${preview.role}. The invitation expires on
<time datetime="${preview.expires_at}">${preview.expires_at.slice(0, 10)}</time>.</p>
<p>To accept, sign in with the invited email address and run:</p>
<p class="address">${command}</p></section></main>`;
  return framedPage(title, main, 200);
}
