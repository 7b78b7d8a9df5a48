// Pictures that servers of chats load for messages: they have no session, and what they get must not reveal anything.

import { readBuildIcon } from '../builds/downloads.ts';
import { findBuild } from '../builds/store.ts';
import { buildPageUrl, channelPageUrl, MESSAGE_ICON_PURPOSE } from '../channels/install-links.ts';
import type { Context } from '../core/context.ts';
import { type Reply, reply } from '../http/reply.ts';
import { drawCells } from '../images/bitmap.ts';
import { notFound } from '../lib/errors.ts';
import { verifyFields } from '../runtime/signing.ts';

const QUIET_ZONE = 4;
/** Pixels for each module. An address of 80 characters has 33 modules, and becomes 328 pixels wide. */
const SCALE = 8;

/** Draws the address of a channel's install page. Doesn't look the channel up, so it's the same for a missing one. */
export function sendChannelQrCode(ctx: Context, channelId: string): Promise<Reply> {
  return sendQrCode(channelPageUrl(ctx.config.server.base_url, channelId));
}

/** Draws the address of a build's install page, like {@link sendChannelQrCode}. */
export function sendBuildQrCode(ctx: Context, buildId: string): Promise<Reply> {
  return sendQrCode(buildPageUrl(ctx.config.server.base_url, buildId));
}

async function sendQrCode(text: string): Promise<Reply> {
  const { default: QrCode } = await import('qrcode');
  const { modules } = QrCode.create(text, { errorCorrectionLevel: 'M' });
  const isDark = (row: number, column: number) => {
    const [y, x] = [row - QUIET_ZONE, column - QUIET_ZONE];
    return y >= 0 && x >= 0 && y < modules.size && x < modules.size && modules.get(y, x) !== 0;
  };
  return reply('image/png', drawCells(modules.size + 2 * QUIET_ZONE, SCALE, isDark), {
    'cache-control': 'public, max-age=86400',
  });
}

/**
 * Returns the icon of a build to anyone who has its signed address from a message. The address allows nothing else, so it
 * doesn't expire. Throws `not_found`.
 */
export async function sendMessageIcon(ctx: Context, buildId: string, signature: string): Promise<Reply> {
  if (!verifyFields(ctx.secrets.keyring, MESSAGE_ICON_PURPOSE, [buildId], signature)) throw notFound();
  const build = findBuild(ctx, buildId);
  const icon = build === undefined ? undefined : await readBuildIcon(ctx, build);
  if (icon === undefined) throw notFound();
  return reply(icon.contentType, icon.bytes, {
    'cache-control': 'private, max-age=86400',
    'content-security-policy': "default-src 'none'; sandbox",
  });
}
