// What operations ask for besides the rows of a world: links, tokens, previews, feedback, groups and images, created through the API of
// its server, a few of each.
import QRCode from 'qrcode';
import { APP_KEY, UPDATE_TOKEN, type World } from './world.ts';
import { worldId } from './world-rows.ts';

/** Sends a request. Returns the body of its response; undefined if it was refused, with a message. */
export type Ask = (
  method: string,
  path: string,
  body?: object | FormData,
  headers?: Record<string, string>,
) => Promise<Record<string, unknown> | undefined>;

/** A build that was uploaded before the current one, for comparisons. */
function earlierBuild({ from, end, size, releases }: World['plan']): string {
  const n = releases * 10 - 10;
  return worldId('build', from + Math.floor((n * (end - from)) / size.builds), n);
}

/** Creates things, and returns the values of the parameters that name them. */
export async function createThings({ plan }: World, ask: Ask): Promise<Record<string, string>> {
  const { organizationId, androidProjectId, developerId } = plan.ids;
  const api = '/api/v1';
  const inProject = `organization_id=${organizationId}&project_id=${androidProjectId}`;
  const picture = await QRCode.toBuffer('a picture', { width: 64 });
  const formWith = (field: string, fields: Record<string, string> = {}) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    form.set(field, new Blob([new Uint8Array(picture)], { type: 'image/png' }), 'picture.png');
    return form;
  };
  const unique = Date.now() % 1_000_000_000;
  const idOf = (answer: Record<string, unknown> | undefined, field = 'identifier') => {
    const value = answer?.[field];
    return typeof value === 'string' ? value : '';
  };

  const organization = `${api}/organizations/${organizationId}`;
  const project = `${api}/projects/${androidProjectId}`;
  const channel = `${api}/channels/${plan.mainChannelId}`;
  const install = { authorization: `Bearer ${UPDATE_TOKEN}`, 'x-svc-app-key': APP_KEY };
  const share = await ask('POST', `${api}/share-links?${inProject}`, { channel_id: plan.mainChannelId });
  const join = await ask('POST', `${channel}/join-links`, { label: 'Meetup' });
  const feed = await ask('POST', `${channel}/feed-tokens`, {});
  const group = idOf(await ask('POST', `${organization}/tester-groups`, { name: `Group ${unique}` }));
  const member = await ask('POST', `${organization}/tester-groups/${group}/members`, {
    email: 'tester-2@example.test',
  });
  const groupGrant = await ask('POST', `${organization}/tester-groups/${group}/grants`, {
    channel_id: plan.mainChannelId,
  });
  const webhook = await ask('POST', `${api}/webhooks?organization_id=${organizationId}`, {
    url: 'https://hooks.example.com/hook',
    events: ['release.created'],
    active: false,
  });
  const text = { text: 'It crashes when I sign in', email: 'tess@example.test' };
  const feedback = idOf(await ask('POST', '/sdk/v1/feedback', formWith('pictures', text), install));
  const whole = await ask('GET', `${project}/feedback/${feedback}`);
  const [stored] = (whole?.pictures ?? []) as { identifier: string }[];
  const screenshot = await ask('POST', `${project}/screenshots`, formWith('file'));
  await ask('POST', `${project}/icon`, formWith('file'));
  await ask('POST', `${organization}/icon`, formWith('file'));
  await ask('POST', `${api}/developers/${developerId}/avatar`, formWith('file'));
  await ask('PATCH', channel, { slug: 'world-beta', keep_last: 1000 });
  for (let number = 1; number <= 30; number += 1) {
    await ask('POST', `${api}/previews?${inProject}`, { pull_request: number });
  }
  const release = `/public/v1/channels/${plan.mainChannelId}/releases/${plan.releaseId}`;
  const capability = await ask('POST', `${release}/install-link`);
  const { icon_url: icon } = (await ask('GET', organization)) ?? {};
  return Object.fromEntries(
    Object.entries({
      other_id: earlierBuild(plan),
      share_token:
        String(share?.url ?? '')
          .split('/')
          .at(-1) ?? '',
      join_token:
        String(join?.url ?? '')
          .split('/')
          .at(-1) ?? '',
      feed: idOf(feed, 'token'),
      group_id: group,
      member_id: idOf(member),
      group_grant_id: idOf(groupGrant),
      webhook_id: idOf(webhook),
      feedback_id: feedback,
      picture_id: stored?.identifier ?? '',
      screenshot_id: idOf(screenshot),
      slug: 'world-beta',
      capability: idOf(capability, 'capability'),
      version: new URL(String(icon ?? 'http://x/?v='), 'http://x').searchParams.get('v') ?? '',
    }).filter(([, value]) => value !== ''),
  );
}

/** The files of a feed that a world has. */
export function fileOf(id: string, { buildId }: World['plan']): string {
  if (id === 'getRepositoryFile') return 'index-v2.json';
  return id.endsWith('Icon') ? `${buildId}.png` : `${buildId}.apk`;
}
