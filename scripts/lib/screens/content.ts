// What the seeded server lacks for a picture of every page: links that were sent to people, an SDK app, a group of testers,
// screenshots of an app, previews, feedback, rules of a channel.
import { type Color, drawScreenshot } from '../sample-pictures.ts';
import { ADMIN } from '../seed.ts';

type Json = Record<string, unknown>;
type Item = { identifier: string; name: string; platform?: string };

const HARBOR: Color = [14, 124, 114];

const FEEDBACK = [
  {
    text: 'The map stays empty after I sign in. It appears when I turn the phone.',
    from: 'grace@example.com',
    pictures: 2,
  },
  { text: 'Love the new timetable! Could it remember the last harbor?', from: 'alan@example.com', pictures: 0 },
  {
    text: 'Crashes when I open the route planner twice.\n\n1. Open the planner\n2. Go back\n3. Open it again',
    from: '',
    pictures: 1,
  },
];

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
  async function ask(method: string, path: string, body?: Json | FormData, isPage = false): Promise<Json> {
    const isForm = body instanceof FormData;
    const response = await fetch(new URL(path, base), {
      method,
      headers: {
        ...(isForm ? {} : { 'content-type': 'application/json' }),
        ...(isPage ? { origin: base } : {}),
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
      },
      body: isForm ? body : body === undefined ? null : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    const answer: unknown = isPage || text === '' ? {} : JSON.parse(text);
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
  const attach = (form: FormData, field: string, size: readonly [number, number], content: 'cards' | 'map') =>
    form.append(field, new Blob([new Uint8Array(drawScreenshot(...size, HARBOR, content))]), 'screen.png');
  for (const [size, content] of [
    [[240, 520], 'cards'],
    [[240, 520], 'map'],
    [[520, 240], 'map'],
  ] as const) {
    const form = new FormData();
    attach(form, 'file', size, content);
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
  for (const number of [51, 48]) await ask('POST', `/api/v1/previews?${query}`, { pull_request: number });
  const previews = (await list(`/api/v1/previews?${query}`)) as unknown as { channel: Item }[];
  await ask('POST', `/api/v1/releases?${query}&channel_id=${previews[0]?.channel.identifier}`, {
    build_id: build?.identifier,
  });
  await addFeedback();
  // Builds of this channel alone are announced for deletion.
  const nightly = named(await list(`/api/v1/channels?${query}`), 'nightly');
  await ask('PATCH', `/api/v1/channels/${nightly}`, { keep_last: 9 });
  const { url: enrollment } = await ask('POST', `/api/v1/devices/enrollments?${inOrganization}`, {});

  async function addFeedback(): Promise<void> {
    for (const { text, from, pictures } of FEEDBACK) {
      const form = new FormData();
      form.set('text', text);
      form.set('email', from);
      for (let number = 0; number < pictures; number += 1) {
        attach(form, 'pictures', [240, 520], number === 0 ? 'map' : 'cards');
      }
      const session = token;
      token = '';
      await ask('POST', `/install/channels/${channels.ios}/feedback`, form, true);
      token = session;
    }
    const [, answered] = await list(`/api/v1/projects/${ios}/feedback`);
    await ask('POST', `/api/v1/projects/${ios}/feedback/${answered?.identifier}/replies`, {
      text: 'Good idea: it does in 2.3.0.',
    });
  }

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
