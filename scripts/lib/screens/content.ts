// What the seeded server lacks for a picture of every page: links that were sent to people, an SDK app, a group of testers,
// screenshots of an app.
import { buildPng } from '../../../test/support/fixtures.ts';
import { ADMIN } from '../seed.ts';

type Json = Record<string, unknown>;
type Item = { identifier: string; name: string; platform?: string };

const SCREENS = [
  [14, 124, 114, 255],
  [205, 232, 226, 255],
  [59, 42, 122, 255],
] as const;

/** What the addresses of pages contain. */
export interface Content {
  /** By the name of the router's parameter. */
  parameters: Record<string, string>;
  /** For the routes whose token only works there. */
  tokens: Record<string, string>;
  /** A public channel of each platform. */
  channels: { ios: string; android: string };
  /** The page on which a phone registers itself. */
  enrollment: string;
}

/** Adds it. `newestLink` returns the link in the newest email to an address. */
export async function addContent(base: string, newestLink: (address: string) => URL): Promise<Content> {
  let token = '';
  async function ask(method: string, path: string, body?: Json | FormData): Promise<Json> {
    const isForm = body instanceof FormData;
    const response = await fetch(new URL(path, base), {
      method,
      headers: {
        ...(isForm ? {} : { 'content-type': 'application/json' }),
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
      },
      body: isForm ? body : body === undefined ? null : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    const answer: unknown = JSON.parse(text);
    return Array.isArray(answer) ? { items: answer } : (answer as Json);
  }
  const list = async (path: string) => (await ask('GET', path)).items as Item[];
  const named = (items: readonly Item[], name: string): string => {
    const found = items.find((item) => item.name === name);
    if (found === undefined) throw new Error(`The sample data has no ${name}`);
    return found.identifier;
  };

  token = String((await ask('POST', '/api/v1/login', { email: ADMIN.email, password: ADMIN.password })).access_token);
  const organization = (await list('/api/v1/organizations'))[0]?.identifier ?? '';
  const inOrganization = `organization_id=${organization}`;
  const projects = await list(`/api/v1/projects?${inOrganization}`);
  const [ios, android] = [named(projects, 'Harbor for iPhone'), named(projects, 'Harbor for Android')];
  const channelOf = async (project: string) =>
    named(await list(`/api/v1/channels?${inOrganization}&project_id=${project}`), 'beta');
  const channels = { ios: await channelOf(ios), android: await channelOf(android) };
  for (const [index, color] of SCREENS.entries()) {
    const form = new FormData();
    const [width, height] = index === 2 ? [520, 240] : [240, 520];
    form.set('file', new Blob([new Uint8Array(buildPng(width, height, color))]), 'screen.png');
    for (const project of [ios, android]) await ask('POST', `/api/v1/projects/${project}/screenshots`, form);
  }
  const query = `${inOrganization}&project_id=${ios}`;
  const [build] = await list(`/api/v1/builds?${query}`);
  const [webhook] = await list(`/api/v1/webhooks?${inOrganization}`);
  const sdk = await ask('POST', `/api/v1/sdk-apps?${query}`, { name: 'Harbor', channel_id: channels.ios });
  await ask('POST', `/api/v1/organizations/${organization}/tester-groups`, { name: 'Crew' });
  const invited = 'linus@example.com';
  await ask('POST', `/api/v1/organizations/${organization}/invites`, { email: invited, role: 'member' });
  const tester = await ask('POST', `/api/v1/channel-invites?${query}&channel_id=${channels.ios}`, {});
  const { url: enrollment } = await ask('POST', `/api/v1/devices/enrollments?${inOrganization}`, {});
  return {
    parameters: {
      $projectId: ios,
      $buildId: build?.identifier ?? '',
      $channelId: channels.ios,
      $webhookId: webhook?.identifier ?? '',
      $sdkAppId: String(sdk.identifier),
      $kind: 'organization',
    },
    tokens: {
      '/invite/$kind/$token': newestLink(invited).pathname.split('/').at(-1) ?? '',
      '/testers/invites/$token': String(tester.invite_token),
    },
    channels,
    enrollment: String(enrollment),
  };
}
