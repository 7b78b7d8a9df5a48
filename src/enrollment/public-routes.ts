// What a phone asks on its way to being registered. No credential but the link itself.
import { z } from 'zod';
import { anonymous, media, type Operation, operation, redirect } from '../http/operation.ts';
import type { Reply } from '../http/reply.ts';
import { redirectTo } from '../http/reply.ts';
import { MOST_ANSWER_BYTES } from './device-response.ts';
import { sendProfile, showEnrollPage, showResultPage } from './pages.ts';
import { profileMediaType } from './profile.ts';
import { enrollDevice } from './service.ts';

const tag = 'Public';
// Whatever is wrong with a link, the answer is the same: so its form is no matter of validation.
const token = z.string().meta({ description: 'Enrollment token: one hour' });
const path = '/public/v1/enroll/{token}';

/** iOS opens the page of a redirect in Safari only when it is a permanent one. */
function sendOn(location: string): Reply {
  return { ...redirectTo(location), status: 301 };
}

export const enrollmentRoutes: Operation[] = [
  operation({
    id: 'showEnrollPage',
    tag,
    summary: 'Page of an enrollment link: what happens, what is collected, and the steps on this phone',
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
    summary: 'Signed configuration profile that asks a device who it is (Profile Service)',
    description: 'Each carries a challenge of its own, which works once and as long as the link.',
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
    summary: "A device's signed answer to the profile",
    description:
      "CMS signed data in DER or BER, its content a property list. Whatever is wrong with it, with the device's certificate or with the challenge answers the same 404.",
    method: 'post',
    path: `${path}/callback`,
    access: anonymous,
    params: z.object({ token }),
    body: { kind: 'raw', type: 'application/pkcs7-signature', maximumBytes: MOST_ANSWER_BYTES },
    returns: redirect,
    status: 301,
    handle: async (ctx, { params, body }) => sendOn(await enrollDevice(ctx, params.token, body)),
  }),
  operation({
    id: 'showEnrollResult',
    tag,
    summary: 'What a phone that has just been registered can install',
    method: 'get',
    path: `${path}/result/{proof}`,
    access: anonymous,
    params: z.object({ token, proof: z.string().meta({ description: 'From the redirect; 15 minutes' }) }),
    returns: media('text/html'),
    status: 200,
    handle: (ctx, { params }) => showResultPage(ctx, params.token, params.proof),
  }),
];
