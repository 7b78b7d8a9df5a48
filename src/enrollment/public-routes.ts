// Operations for phones during registration. The link is the only credential.
import { z } from 'zod';
import { anonymous, media, type Operation, operation, redirect } from '../http/operation.ts';
import type { Reply } from '../http/reply.ts';
import { redirectTo } from '../http/reply.ts';
import { MAX_ANSWER_BYTES } from './device-response.ts';
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
];
