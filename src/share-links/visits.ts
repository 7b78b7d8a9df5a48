// The visit of a browser to a share link: a signed cookie for the path of the link. It shows that the password was entered, and
// makes all downloads of the browser count as one install.
import { createHash } from 'node:crypto';
import { basePathOf } from '../config/base-path.ts';
import type { App, Context } from '../core/context.ts';
import { cookieValue } from '../http/credentials.ts';
import type { ShareLinkRow } from '../install/share-links.ts';
import { DAY } from '../lib/clock.ts';
import { isUuid, uuidAt } from '../runtime/ids.ts';
import { signFields, verifyFields } from '../runtime/signing.ts';

const COOKIE = 'svc_share';
const PURPOSE = 'share visit';
const VISIT_LIFETIME_MS = 30 * DAY;
const MAX_CHARACTERS = 200;

type VisitedLink = Pick<ShareLinkRow, 'id' | 'passwordHash'>;

/** The cookie is only valid for the link, and for the password that it had. */
const fieldsOf = (link: VisitedLink, visitId: string, expiresAt: string) => [
  link.id,
  link.passwordHash ?? '',
  visitId,
  expiresAt,
];

/** Returns a new visit with the Set-Cookie value that identifies it. For a link with a password, the caller has verified it. */
export function startVisit(
  app: Pick<App, 'clock' | 'config' | 'ids' | 'secrets'>,
  link: VisitedLink,
  token: string,
): { id: string; cookie: string } {
  const id = app.ids.next();
  const expiresAt = String(app.clock.time() + VISIT_LIFETIME_MS);
  const value = `${id}.${expiresAt}.${signFields(app.secrets.keyring, PURPOSE, fieldsOf(link, id, expiresAt))}`;
  const secure = app.config.server.base_url.startsWith('https:') ? '; Secure' : '';
  const path = `${basePathOf(app.config)}/s/${token}`;
  const cookie = `${COOKIE}=${value}; Path=${path}; Max-Age=${VISIT_LIFETIME_MS / 1000}; HttpOnly; SameSite=Lax${secure}`;
  return { id, cookie };
}

/** Returns the id of the browser's visit to a link, or undefined if it has none, or one for another link or password. */
export function readVisit(ctx: Context, link: VisitedLink): string | undefined {
  const value = cookieValue(ctx.request.header('cookie'), COOKIE);
  if (value === undefined || value.length > MAX_CHARACTERS) return undefined;
  const [id = '', expiresAt = '', ...signature] = value.split('.');
  if (!isUuid(id) || !/^\d{1,15}$/.test(expiresAt)) return undefined;
  if (!verifyFields(ctx.secrets.keyring, PURPOSE, fieldsOf(link, id, expiresAt), signature.join('.'))) return undefined;
  return ctx.clock.time() < Number(expiresAt) ? id : undefined;
}

/** Returns the id under which the downloads of a release or build during a visit count as one. */
export function installIdOf(visitId: string, targetId: string): string {
  return uuidAt(createHash('sha256').update(`share install ${visitId} ${targetId}`).digest(), 0);
}
