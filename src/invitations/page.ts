// The page behind the link of an invitation: what it leads to and how to accept it. Looking at it uses nothing up.

import type { Context } from '../core/context.ts';
import type { Reply } from '../http/reply.ts';
import { AppError } from '../lib/errors.ts';
import { html } from '../lib/html.ts';
import { framedPage, noticePage } from '../pages/frame.ts';
import { previewInvitation } from './acceptance.ts';
import type { InvitationKind } from './schema.ts';

/** The page, or one that says that the link does not work (404, whatever became of it). */
export function showInvitationPage(ctx: Context, kind: InvitationKind, token: string): Reply {
  let preview: ReturnType<typeof previewInvitation>;
  try {
    preview = previewInvitation(ctx, kind, token);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
    return noticePage('This invitation does not work', 'It was used, taken back, has expired or is not complete.', 404);
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
<p>You are invited to join ${place} with the role: ${preview.role}. The invitation lasts until
<time datetime="${preview.expires_at}">${preview.expires_at.slice(0, 10)}</time>.</p>
<p>Accept it signed in with the address that it was sent to:</p>
<p class="address">${command}</p></section></main>`;
  return framedPage(title, main, 200);
}
