// Operations for the links in release emails. The link is the only credential; others are ignored.
import { anonymous, media, type Operation, operation, redirect } from '../../http/operation.ts';
import * as z from '../../lib/zod.ts';
import { muteByLink, openRelease, showMutePage } from './pages.ts';
import { MUTE_PATH, OPEN_PATH } from './service.ts';

const tag = 'Testers';
// All invalid links get the same response, so their format isn't validated here.
const params = z.object({ token: z.string() });

export const announcementRoutes: Operation[] = [
  operation({
    id: 'openAnnouncedRelease',
    tag,
    summary: 'Redirect from a release email to the install page',
    description:
      'Creates a capability if the recipient may still install the release. Otherwise redirects to the page for expired links.',
    method: 'get',
    path: `${OPEN_PATH}/{token}`,
    access: anonymous,
    params,
    returns: redirect,
    status: 302,
    handle: (ctx, { params: { token } }) => openRelease(ctx, token),
  }),
  operation({
    id: 'showMute',
    tag,
    summary: 'Page for unsubscribing from emails about a channel',
    method: 'get',
    path: `${MUTE_PATH}/{token}`,
    access: anonymous,
    params,
    returns: media('text/html'),
    status: 200,
    handle: (ctx, { params: { token } }) => showMutePage(ctx, token),
  }),
  operation({
    id: 'muteByLink',
    tag,
    summary: 'Unsubscribe from emails about a channel with one click (RFC 8058)',
    method: 'post',
    path: `${MUTE_PATH}/{token}`,
    access: anonymous,
    params,
    returns: media('text/html'),
    status: 200,
    handle: (ctx, { params: { token } }) => muteByLink(ctx, token),
  }),
];
