// Operations for phones during registration. The link is the only credential.
import { anonymous, media, type Operation, operation, redirect, visitor } from '../http/operation.ts';
import type { Reply } from '../http/reply.ts';
import { redirectTo } from '../http/reply.ts';
import { type InstallPage, sendPage } from '../install/page/send.ts';
import { refuseInFixedTime } from '../install/refusal-time.ts';
import * as z from '../lib/zod.ts';
import { MAX_ANSWER_BYTES } from './device-response.ts';
import { registerAtChannel, registerAtShortAddress } from './from-page.ts';
import { sendProfile, showEnrollPage, showResultPage } from './pages.ts';
import { profileMediaType } from './profile.ts';
import { enrollDevice } from './service.ts';

const tag = 'Public';
// All invalid links get the same response, so their format isn't validated here.
const token = z.string().meta({ description: 'Enrollment token, valid for one hour' });
const path = '/public/v1/enroll/{token}';

/** iOS opens the target of a redirect in Safari only if the redirect is permanent. */
function sendOn(location: string): Reply {
  return { ...redirectTo(location), status: 301 };
}

const registration = z.object({
  again: z.boolean().default(false).meta({ description: 'Whether another phone may have the cookie of this browser' }),
});

/** Continues at a page of ours, or sends the page that people without access get. */
function sendRegistration(answer: InstallPage | { continueAt: string }): Reply {
  return 'continueAt' in answer ? { ...redirectTo(answer.continueAt), status: 302 } : sendPage(answer);
}

export const enrollmentRoutes: Operation[] = [
  operation({
    id: 'showEnrollPage',
    tag,
    summary: 'Page of an enrollment link',
    method: 'get',
    path,
    access: anonymous,
    params: z.object({ token }),
    returns: media('text/html'),
    status: 200,
    handle: (ctx, { params }) => showEnrollPage(ctx, params.token),
  }),
  operation({
    id: 'getEnrollProfile',
    tag,
    summary: "Signed configuration profile that requests the device's identifier (Profile Service)",
    description: 'Each profile contains a new challenge that works once, until the link expires.',
    method: 'get',
    path: `${path}/profile`,
    access: anonymous,
    params: z.object({ token }),
    returns: media(profileMediaType),
    status: 200,
    errors: [503],
    handle: (ctx, { params }) => sendProfile(ctx, params.token),
  }),
  operation({
    id: 'completeEnrollment',
    tag,
    summary: 'Signed response of a device to the profile',
    description:
      "CMS signed data in DER or BER that contains a property list. Responds with 404 if the data, the device's certificate or the challenge is invalid.",
    method: 'post',
    path: `${path}/callback`,
    access: anonymous,
    params: z.object({ token }),
    body: { kind: 'raw', type: 'application/pkcs7-signature', maximumBytes: MAX_ANSWER_BYTES },
    returns: redirect,
    status: 301,
    handle: async (ctx, { params, body }) => sendOn(await enrollDevice(ctx, params.token, body)),
  }),
  operation({
    id: 'showEnrollResult',
    tag,
    summary: 'Result page of an enrollment, with the apps that the device can install',
    method: 'get',
    path: `${path}/result/{proof}`,
    access: anonymous,
    params: z.object({ token, proof: z.string().meta({ description: 'From the redirect; valid for 15 minutes' }) }),
    returns: media('text/html'),
    status: 200,
    handle: (ctx, { params }) => showResultPage(ctx, params.token, params.proof),
  }),
  operation({
    id: 'registerDeviceAtChannel',
    tag,
    summary: 'Register the phone of a visitor of an install page',
    description:
      "Redirects to an enrollment link, which leads back to the page. A phone that is already registered waits for a build of the channel instead. Without access, responds the same as for a channel that doesn't exist.",
    method: 'post',
    path: '/install/channels/{channel_id}/register-device',
    access: visitor,
    rateLimit: 'sign_up',
    params: z.object({ channel_id: z.string().toLowerCase() }),
    query: registration,
    returns: redirect,
    status: 302,
    handle: async (ctx, { params, query }) =>
      sendRegistration(await refuseInFixedTime(() => registerAtChannel(ctx, params.channel_id, query.again))),
  }),
  operation({
    id: 'registerDeviceAtShortAddress',
    tag,
    summary: 'Register the phone of a visitor of a short address',
    description: 'The same as at the install page of the channel.',
    method: 'post',
    path: '/i/{slug}/register-device',
    access: visitor,
    rateLimit: 'sign_up',
    params: z.object({ slug: z.string().toLowerCase() }),
    query: registration,
    returns: redirect,
    status: 302,
    handle: async (ctx, { params, query }) =>
      sendRegistration(await refuseInFixedTime(() => registerAtShortAddress(ctx, params.slug, query.again))),
  }),
];
