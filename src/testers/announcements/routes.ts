// Operations behind the links in mails about releases. The link is the proof; a credential that is sent is not looked at.
import { z } from 'zod';
import { anonymous, media, type Operation, operation, redirect } from '../../http/operation.ts';
import { muteByLink, openRelease, showMutePage } from './pages.ts';
import { MUTE_PATH, OPEN_PATH } from './service.ts';

const tag = 'Testers';
// Whatever is wrong with a link, the answer is the same: so its form is no matter of validation.
const params = z.object({ token: z.string() });

export const announcementRoutes: Operation[] = [
  operation({
    id: 'openAnnouncedRelease',
    tag,
    summary: 'From a mail about a release to its install page',
    description:
      'Mints a capability for whom the mail was sent to, if they may still install it; else it leads to the page of a link that has ended.',
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
    summary: 'Ask whether mails about a channel should stop',
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
    summary: 'Stop mails about a channel with one click (RFC 8058)',
    method: 'post',
    path: `${MUTE_PATH}/{token}`,
    access: anonymous,
    params,
    returns: media('text/html'),
    status: 200,
    handle: (ctx, { params: { token } }) => muteByLink(ctx, token),
  }),
];
