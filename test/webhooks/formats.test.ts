// The bodies for incoming webhooks of chats, and the names and addresses in the service's own.
import { desc, eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemContext } from '../../src/core/transact.ts';
import { outboxEvents } from '../../src/data/tables/tables.ts';
import { formatBytes } from '../../src/lib/formats.ts';
import { type Format, formats, isChatFormat } from '../../src/webhook-events.ts';
import { renderBody } from '../../src/webhooks/body.ts';
import type { Build } from '../builds/scenario.ts';
import { type InstallScenario, startInstallScenario } from '../install/scenario.ts';
import { buildApk, buildIpa, buildPng } from '../support/fixtures.ts';
import type { Json } from '../support/harness.ts';
import { findChatProblems } from './chat-limits.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { everyEvent, startWebhookScenario, type WebhookScenario } from './scenario.ts';

const chats = formats.filter(isChatFormat);
const base = 'https://builds.example.com';
const hostile =
  '<!channel> <https://evil.example|click> [x](http://y) @everyone <@&1> <users/all> www.evil.example **b** `c` _d_ \u202e& #tag';
let scenario: InstallScenario;
let hooks: WebhookScenario;
let receiver: Receiver;
let projectName: string;
let organizationName: string;
let build: Build;
let releaseId: string;
const secrets: Record<string, string | null> = {};

beforeAll(async () => {
  scenario = await startInstallScenario({ config: { server: { base_url: base } } });
  const { fixture } = scenario;
  receiver = await startReceiver();
  hooks = startWebhookScenario(fixture);
  build = await scenario.addBuild(scenario.android, buildApk({ icon: buildPng(8, 8) }), {
    release_notes: 'Fixes the login\n\n\n- and *more*',
  });
  releaseId = await scenario.addRelease(scenario.android, fixture.channel_id, build.identifier);
  for (const format of formats) {
    secrets[format] = (await hooks.subscribe(`${receiver.url}/${format}`, { format })).secret;
  }
  const staff = await scenario.staff();
  projectName = (await staff.get<{ name: string }>(`/api/v1/projects/${fixture.android_project_id}`)).body.name;
  organizationName = (await staff.get<{ name: string }>(`/api/v1/organizations/${fixture.organization_id}`)).body.name;
});
afterAll(async () => {
  await scenario?.[Symbol.asyncDispose]();
  await receiver?.[Symbol.asyncDispose]();
});
beforeEach(() => {
  receiver.received.length = 0;
});

const sentTo = (format: string) => receiver.at(`/${format}`)[0]?.json as Json;

/** Records an event as the administrator's action does, with real ids and chosen names. */
function happen(type: 'release.created' | 'build.deleted', details: Json, data: Record<string, string>): void {
  const { fixture } = scenario;
  systemContext(fixture.app).transact((tx) =>
    tx.record(type, {
      identifier: tx.ids.next(),
      organizationId: fixture.organization_id,
      projectId: fixture.android_project_id,
      author: {
        actorKind: 'developer',
        actorId: fixture.admin.developer_id,
        actorName: null,
        developerId: fixture.admin.developer_id,
        ipAddress: null,
      },
      details,
      data,
    }),
  );
}

const happenReleased = () =>
  happen(
    'release.created',
    { channel: 'nightly' },
    { release_id: releaseId, channel_id: scenario.fixture.channel_id, build_id: build.identifier },
  );
const happenNamed = (details: Json) => happen('build.deleted', details, { build_id: releaseId });

/** The newest event of a type in a format, for a server at another address. */
function renderNewest(format: Format, baseUrl: string, type = 'release.created'): Json {
  const ctx = systemContext(scenario.fixture.app);
  const newest = ctx.db.select().from(outboxEvents).where(eq(outboxEvents.type, type)).orderBy(desc(outboxEvents.id));
  const event = newest.limit(1).get();
  if (event === undefined) throw new Error('nothing happened');
  const config = { ...ctx.config, server: { ...ctx.config.server, base_url: baseUrl } };
  return JSON.parse(renderBody({ ...ctx, config }, event, format).toString());
}

describe('a message about a release', () => {
  const version = () => `1.2.3 (${build.build_number})`;
  const install = () => `${base}/install/channels/${scenario.fixture.channel_id}`;
  const qr = () => `${base}/public/v1/channels/${scenario.fixture.channel_id}/qr.png`;
  const page = () => `${base}/projects/${scenario.fixture.android_project_id}/channels/${scenario.fixture.channel_id}`;
  const person = 'Fixture Administrator';
  const notes = 'Fixes the login\n\n• and more';
  let icon = '';
  let size = '';
  beforeAll(async () => {
    receiver.received.length = 0;
    happenReleased();
    await scenario.fixture.drain();
    const body = sentTo('svc') as { urls: { icon: string } };
    icon = body.urls.icon;
    size = formatBytes(Number(build.size_bytes), 'en');
    sent = Object.fromEntries(formats.map((format) => [format, sentTo(format)]));
  });
  let sent: Record<string, Json> = {};

  it('has blocks for Slack, with a text for notifications', () => {
    const plain = (text: string) => ({ type: 'plain_text', text, emoji: false });
    expect(sent.slack).toEqual({
      text: `New release · ${projectName} · ${version()} · nightly`,
      blocks: [
        { type: 'header', text: plain('New release') },
        {
          type: 'section',
          text: plain(projectName),
          fields: [
            plain(`Version: ${version()}`),
            plain('Platform: Android'),
            plain(`Size: ${size}`),
            plain('Channel: nightly'),
            plain(`By: ${person}`),
          ],
          accessory: { type: 'image', image_url: icon, alt_text: 'App icon' },
        },
        { type: 'section', text: plain(notes) },
        { type: 'image', image_url: qr(), alt_text: 'QR code of the install page' },
        {
          type: 'actions',
          elements: [
            { type: 'button', text: plain('Install'), url: install(), action_id: 'install', style: 'primary' },
            { type: 'button', text: plain('Details'), url: page(), action_id: 'details' },
          ],
        },
      ],
      unfurl_links: false,
      unfurl_media: false,
    });
  });

  it('is an adaptive card for Teams', () => {
    const run = (text: string) => ({ type: 'RichTextBlock', inlines: [{ type: 'TextRun', text }] });
    const heading = { type: 'TextBlock', text: 'New release', weight: 'Bolder', size: 'Medium', wrap: true };
    const picture = { type: 'Image', url: icon, altText: 'App icon', width: '48px' };
    expect(sent.teams).toEqual({
      type: 'message',
      summary: `New release · ${projectName} · ${version()} · nightly`,
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          contentUrl: null,
          content: {
            $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
            type: 'AdaptiveCard',
            version: '1.4',
            body: [
              {
                type: 'ColumnSet',
                columns: [
                  { type: 'Column', width: 'auto', items: [picture] },
                  { type: 'Column', width: 'stretch', items: [heading, run(projectName)] },
                ],
              },
              {
                type: 'FactSet',
                facts: [
                  { title: 'Version', value: version() },
                  { title: 'Platform', value: 'Android' },
                  { title: 'Size', value: size },
                  { title: 'Channel', value: 'nightly' },
                  { title: 'By', value: person },
                ],
              },
              run(notes),
              { type: 'Image', url: qr(), altText: 'QR code of the install page', width: '160px' },
            ],
            actions: [
              { type: 'Action.OpenUrl', title: 'Install', url: install() },
              { type: 'Action.OpenUrl', title: 'Details', url: page() },
            ],
          },
        },
      ],
    });
  });

  it('is an embed for Discord without mentions', () => {
    expect(sent.discord).toEqual({
      embeds: [
        {
          title: 'New release',
          url: install(),
          description: `${projectName}\n\nFixes the login\n\n• and more\n\n[Install](${install()}) · [Details](${page()})`,
          timestamp: expect.stringMatching(/Z$/),
          fields: [
            { name: 'Version', value: version(), inline: true },
            { name: 'Platform', value: 'Android', inline: true },
            { name: 'Size', value: size, inline: true },
            { name: 'Channel', value: 'nightly', inline: true },
            { name: 'By', value: person, inline: true },
          ],
          thumbnail: { url: icon },
          image: { url: qr() },
        },
      ],
      allowed_mentions: { parse: [] },
    });
  });

  it('is an attachment for Mattermost', () => {
    expect(sent.mattermost).toEqual({
      attachments: [
        {
          fallback: `New release · ${projectName} · ${version()} · nightly`,
          title: 'New release',
          title_link: install(),
          text: `**${projectName}**\n\nFixes the login\n\n• and more\n\n[Install](${install()}) · [Details](${page()})`,
          fields: [
            { title: 'Version', value: version(), short: true },
            { title: 'Platform', value: 'Android', short: true },
            { title: 'Size', value: size, short: true },
            { title: 'Channel', value: 'nightly', short: true },
            { title: 'By', value: person, short: true },
          ],
          thumb_url: icon,
          image_url: qr(),
        },
      ],
    });
  });

  it('is a card for Google Chat', () => {
    const fact = (topLabel: string, text: string) => ({ decoratedText: { topLabel, text, wrapText: true } });
    expect(sent.google_chat).toEqual({
      fallbackText: `New release · ${projectName} · ${version()} · nightly`,
      cardsV2: [
        {
          cardId: 'event',
          card: {
            header: { title: 'New release', imageUrl: icon, imageType: 'SQUARE', imageAltText: 'App icon' },
            sections: [
              {
                widgets: [
                  fact('App', projectName),
                  fact('Version', version()),
                  fact('Platform', 'Android'),
                  fact('Size', size),
                  fact('Channel', 'nightly'),
                  fact('By', person),
                  { textParagraph: { text: 'Fixes the login<br><br>• and more' } },
                  { image: { imageUrl: qr(), altText: 'QR code of the install page' } },
                  {
                    buttonList: {
                      buttons: [
                        { text: 'Install', onClick: { openLink: { url: install() } } },
                        { text: 'Details', onClick: { openLink: { url: page() } } },
                      ],
                    },
                  },
                ],
              },
            ],
          },
        },
      ],
    });
  });

  it('is accepted by every chat', () => {
    for (const format of chats) expect(findChatProblems(format, sent[format] ?? {})).toEqual([]);
  });

  it("has names and addresses in the service's own body", () => {
    expect(sent.svc).toMatchObject({
      data: { release_id: releaseId, channel_id: scenario.fixture.channel_id, build_id: build.identifier },
      names: {
        organization: organizationName,
        project: projectName,
        channel: 'nightly',
        version_name: '1.2.3',
        build_number: String(build.build_number),
        device: null,
      },
      urls: { page: page(), install: install(), qr: qr(), icon },
    });
  });

  it('shows pictures that anyone can load, and that reveal nothing else', async () => {
    const code = await scenario.follow(qr());
    expect([code.status, code.headers.get('content-type')]).toEqual([200, 'image/png']);
    const bytes = Buffer.from(await code.arrayBuffer());
    expect(bytes.subarray(1, 4).toString()).toBe('PNG');
    // The same for a channel that doesn't exist: only the address is drawn.
    const absent = '01900000-0000-7000-8000-000000000000';
    expect((await scenario.follow(qr().replace(scenario.fixture.channel_id, absent))).status).toBe(200);
    expect((await scenario.follow(icon)).headers.get('content-type')).toBe('image/png');
    expect((await scenario.follow(`${icon}x`)).status).toBe(404);
    expect((await scenario.follow(icon.replace(build.identifier, absent))).status).toBe(404);
  });

  it.each([
    'http://builds.example.com',
    'https://localhost',
    'https://builds.local',
    'https://10.1.2.3',
    'https://builds',
  ])('has no pictures if the server is at %s', async (address) => {
    happenReleased();
    await scenario.fixture.drain();
    for (const format of chats) {
      const text = JSON.stringify(renderNewest(format, address));
      expect(text).not.toMatch(/qr\.png|\/icon\//);
      expect(text).toContain(`${address}/install/channels/`);
    }
  });
});

describe('a message', () => {
  it('has a title for each event', async () => {
    for (const event of everyEvent) hooks.happen(event);
    await scenario.fixture.drain();
    const titles = receiver.at('/discord').map(({ json }) => (json.embeds as Json[])[0]?.title);
    expect(titles).toEqual([
      'New release',
      'Release deleted',
      'Release rolled back',
      'Build uploaded',
      'Build deleted',
      'Preview ended',
    ]);
  });

  it('reports the inspection of a build', async () => {
    await hooks.subscribe(`${receiver.url}/inspected`, { events: ['build.inspected'] });
    const readable = await scenario.addBuild(scenario.android, buildApk());
    const damaged = await scenario.addBuild(scenario.android, Buffer.from('not a package'));
    await scenario.fixture.drain();
    const told = receiver.at('/inspected').map(({ json }) => [json.type, json.data]);
    expect(told).toEqual([
      ['build.inspected', { build_id: readable.identifier, inspection_status: 'ok' }],
      ['build.inspected', { build_id: damaged.identifier, inspection_status: 'unreadable' }],
    ]);
  });

  it.each([
    ['release.created', 'project/channels/c'],
    ['release.deleted', 'project/channels/c'],
    ['release.rolled_back', 'project/channels/c'],
    ['build.uploaded', 'project/builds/b'],
    ['build.inspected', 'project/builds/b'],
    ['build.deleted', 'project/builds'],
    ['preview.ended', 'project'],
    ['device.registered', '/devices'],
    ['feedback.received', 'project/feedback?feedback=f'],
    ['webhook.test', '/webhooks/w'],
    // Of a newer version, before a downgrade.
    ['channel.renamed', null],
  ])('about %s links to the page %s', (type, path) => {
    const { organization_id: organizationId, android_project_id: projectId } = scenario.fixture;
    const data = JSON.stringify({ channel_id: 'c', build_id: 'b', feedback_id: 'f', webhook_id: 'w' });
    const event = { id: 'e', type, organizationId, projectId, data, details: '{}', createdAt: 0, fannedOutAt: null };
    const { urls } = JSON.parse(renderBody(systemContext(scenario.fixture.app), event, 'svc').toString());
    const page = path === null ? null : `${base}${path.replace(/^project/, `/projects/${projectId}`)}`;
    expect(urls).toEqual({ page, install: null, qr: null, icon: null });
  });

  it('omits unknown names', async () => {
    happenNamed({});
    await scenario.fixture.drain();
    expect(sentTo('slack')).toMatchObject({ text: `Build deleted · ${projectName}` });
  });

  it('names a deleted release and build as people saw them', async () => {
    const { ios } = scenario;
    const staff = await scenario.staff();
    const channel = await staff.post<{ identifier: string }>('/api/v1/channels', { name: 'Dogfood' }, { ...ios });
    const { identifier } = await scenario.addBuild(ios, buildIpa({ version: '1.2.3', build: '4.5.6' }));
    await scenario.addRelease(ios, channel.body.identifier, identifier);
    expect((await staff.delete(`/api/v1/builds/${identifier}`)).status).toBe(204);
    await scenario.fixture.drain();
    const named = (type: string) => receiver.at('/svc').find(({ json }) => json.type === type)?.json.names;
    expect(named('release.deleted')).toMatchObject({
      channel: 'Dogfood',
      version_name: '1.2.3',
      build_number: '4.5.6',
    });
    expect(named('build.deleted')).toMatchObject({ channel: null, version_name: '1.2.3', build_number: '4.5.6' });
    expect(renderNewest('svc', base, 'build.inspected')).toMatchObject({
      names: { version_name: '1.2.3', build_number: '4.5.6' },
    });
  });

  it('of a test has a title and a link to the webhook', async () => {
    const { body } = await (await scenario.staff()).get<{ items: { identifier: string; format: string }[] }>(
      '/api/v1/webhooks',
      hooks.inOrganization,
    );
    for (const { identifier } of body.items) {
      await (await scenario.staff()).post(`/api/v1/webhooks/${identifier}/test`);
    }
    await scenario.fixture.drain();
    const title = 'Test delivery: the webhook works';
    for (const format of chats) {
      expect(JSON.stringify(sentTo(format))).toContain(title);
      expect(JSON.stringify(sentTo(format))).toContain(`${base}/webhooks/`);
      expect(findChatProblems(format, sentTo(format))).toEqual([]);
    }
  });

  it('contains names literally, without links and mentions', async () => {
    happenNamed({ channel: hostile, version_name: hostile, build_number: 1 });
    await scenario.fixture.drain();
    const slack = sentTo('slack') as { text: string; blocks: { fields?: { type: string; text: string }[] }[] };
    expect(slack.text).toContain('&lt;!channel&gt; &lt;https://evil.example|click&gt;');
    expect(slack.text).not.toMatch(/[<>]|@\w/);
    for (const { type, text } of slack.blocks[1]?.fields ?? []) {
      expect(type).toBe('plain_text');
      expect(text).not.toMatch(/<[!@h]|@\w|:\/\/|www\./);
    }
    const [embed] = sentTo('discord').embeds as { fields: { name: string; value: string }[] }[];
    const shown = embed?.fields.find(({ name }) => name === 'Channel')?.value ?? '';
    expect(shown).toContain('\\<!channel\\>');
    expect(shown).toContain('\\[x\\](http\\://y) @everyone');
    expect(shown).toContain('\\*\\*b\\*\\* \\`c\\` \\_d\\_ &');
    const teams = JSON.stringify(sentTo('teams'));
    expect(teams).toContain('\\\\[x\\\\](http\\\\://y)');
    const mattermost = JSON.stringify(sentTo('mattermost'));
    expect(mattermost).not.toMatch(/<|@[a-z]|[^\\]\[x|www\.evil|http:\/\/y|#tag/);
    const google = JSON.stringify(sentTo('google_chat'));
    expect(google).not.toMatch(/<(?!br>)|@[a-z]|http:\/\/y|www\.evil/);
    for (const format of chats) expect(JSON.stringify(sentTo(format))).not.toMatch(/\u202e/);
  });

  it('fits the limits of every chat, with notes and names of any length', async () => {
    const { android_project_id } = scenario.fixture;
    const staff = await scenario.staff();
    const long = await scenario.addBuild(scenario.android, buildApk(), {
      release_notes: `${hostile}\n# heading\n1. one\n`.repeat(60).slice(0, 4_000),
    });
    for (const text of ['v'.repeat(5_000), '😀'.repeat(2_000), hostile.repeat(30), '\\*_`[]<>@'.repeat(400)]) {
      happen(
        'release.created',
        { channel: text },
        { channel_id: scenario.fixture.channel_id, build_id: long.identifier },
      );
    }
    await scenario.fixture.drain();
    for (const format of chats) {
      const bodies = receiver.at(`/${format}`).map(({ json }) => json);
      expect(bodies.length).toBeGreaterThanOrEqual(4);
      for (const body of bodies) expect(findChatProblems(format, body)).toEqual([]);
    }
    expect((await staff.get(`/api/v1/projects/${android_project_id}`)).status).toBe(200);
  });

  it.each(['# heading', '- item', '+ item', '> quote', '<@&1> x', 'https://evil.example/', '-# small', '1. one'])(
    'contains %s literally',
    async (name) => {
      happenNamed({ channel: name });
      await scenario.fixture.drain();
      const { embeds } = sentTo('discord') as { embeds: { fields: { name: string; value: string }[] }[] };
      const shown = embeds[0]?.fields.find((field) => field.name === 'Channel')?.value ?? '';
      expect(shown.replace(/\\(?=[^\p{L}\d\s])|\u200b/gu, '')).toBe(name);
      // Nothing at the beginning, and no address, that means something to Markdown.
      expect(shown).not.toMatch(/^[#>+-]|^\d+\.|[^\\][<>]|(?<!\\):\/\//);
    },
  );

  it('omits an invisible name, because chats reject empty fields', async () => {
    happenNamed({ channel: '\u200b\u2060', version_name: '1.0', build_number: 3 });
    await scenario.fixture.drain();
    const { embeds } = sentTo('discord') as { embeds: { fields: { name: string }[] }[] };
    expect(embeds[0]?.fields.map(({ name }) => name)).toEqual(['Version', 'Platform', 'By']);
    expect(sentTo('slack')).toMatchObject({ text: `Build deleted · ${projectName} · 1.0 (3)` });
  });
});

describe('the signing secret', () => {
  it("is shown for the service's own format alone", async () => {
    expect(secrets.svc).toMatch(/^svc_whsec_/);
    for (const format of chats) expect(secrets[format]).toBeNull();
  });
});
