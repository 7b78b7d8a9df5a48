// The bodies for incoming webhooks of chats.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemContext } from '../../src/core/transact.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { api, type Json } from '../support/harness.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { everyEvent, startWebhookScenario, type WebhookScenario } from './scenario.ts';

let fixture: Fixture;
let scenario: WebhookScenario;
let receiver: Receiver;
let projectName: string;
beforeAll(async () => {
  fixture = await startFixture();
  receiver = await startReceiver();
  scenario = startWebhookScenario(fixture);
  for (const format of ['slack', 'teams', 'discord']) await scenario.subscribe(`${receiver.url}/${format}`, { format });
  const project = await api(fixture).get<{ name: string }>(`/api/v1/projects/${fixture.android_project_id}`);
  projectName = project.body.name;
});
afterAll(async () => {
  await fixture?.stop();
  await receiver?.[Symbol.asyncDispose]();
});
beforeEach(() => {
  receiver.received.length = 0;
});

const sentTo = (format: string) => receiver.at(`/${format}`)[0]?.json;
const installPage = () => `${fixture.config.server.base_url}/install/channels/${fixture.channel_id}`;

/** An event with names of somebody's choosing. */
function happenNamed(details: Json): void {
  systemContext(fixture.app).transact((tx) =>
    tx.record('build.deleted', {
      identifier: tx.ids.next(),
      organizationId: fixture.organization_id,
      projectId: fixture.android_project_id,
      details,
      data: { build_id: tx.ids.next() },
    }),
  );
}

describe('a message about a release on a public channel', () => {
  beforeEach(async () => {
    scenario.happen('release.created');
    await fixture.drain();
  });
  it('has blocks for Slack, with a text for notifications', () => {
    expect(sentTo('slack')).toEqual({
      text: `New release · ${projectName} · 1.4.0 (77) · nightly`,
      blocks: [
        {
          type: 'section',
          text: { type: 'mrkdwn', text: `*New release*  <${installPage()}|Install>` },
          fields: [
            { type: 'plain_text', text: `Project: ${projectName}`, emoji: false },
            { type: 'plain_text', text: 'Version: 1.4.0 (77)', emoji: false },
            { type: 'plain_text', text: 'Channel: nightly', emoji: false },
          ],
        },
      ],
      unfurl_links: false,
    });
  });
  it('is an adaptive card for Teams', () => {
    expect(sentTo('teams')).toEqual({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          contentUrl: null,
          content: {
            $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
            type: 'AdaptiveCard',
            version: '1.4',
            body: [
              { type: 'TextBlock', text: 'New release', weight: 'Bolder', size: 'Medium', wrap: true },
              {
                type: 'FactSet',
                facts: [
                  { title: 'Project', value: projectName },
                  { title: 'Version', value: '1.4.0 (77)' },
                  { title: 'Channel', value: 'nightly' },
                ],
              },
            ],
            actions: [{ type: 'Action.OpenUrl', title: 'Install', url: installPage() }],
          },
        },
      ],
    });
  });
  it('is an embed for Discord without mentions', () => {
    expect(sentTo('discord')).toEqual({
      embeds: [
        {
          title: 'New release',
          url: installPage(),
          timestamp: expect.stringMatching(/Z$/),
          fields: [
            { name: 'Project', value: projectName, inline: true },
            { name: 'Version', value: '1.4.0 (77)', inline: true },
            { name: 'Channel', value: 'nightly', inline: true },
          ],
        },
      ],
      allowed_mentions: { parse: [] },
    });
  });
});

describe('a message', () => {
  it('has a title for each event, and a link only for new releases', async () => {
    for (const event of everyEvent) scenario.happen(event);
    await fixture.drain();
    const titles = receiver.at('/discord').map(({ json }) => {
      const [embed] = json.embeds as Json[];
      return [embed?.title, embed?.url !== undefined];
    });
    expect(Object.fromEntries(titles)).toEqual({
      'New release': true,
      'Release deleted': false,
      'Release rolled back': false,
      'Build uploaded': false,
      'Build deleted': false,
    });
  });

  it('omits unknown names', async () => {
    happenNamed({});
    await fixture.drain();
    expect(sentTo('slack')).toMatchObject({ text: `Build deleted · ${projectName}` });
  });

  it('of a test has a title alone', async () => {
    const { body } = await scenario.client.get<{ items: { identifier: string }[] }>(
      '/api/v1/webhooks',
      scenario.inOrganization,
    );
    for (const { identifier } of body.items) await scenario.client.post(`/api/v1/webhooks/${identifier}/test`);
    await fixture.drain();
    const title = 'Test delivery: the webhook works';
    expect(sentTo('slack')).toMatchObject({ text: title, blocks: [{ text: { text: `*${title}*` } }] });
    expect(sentTo('discord')).toMatchObject({ embeds: [{ title, fields: [] }] });
    expect(JSON.stringify(sentTo('teams'))).toContain(title);
  });

  it('contains names literally, without links and mentions, and truncates them', async () => {
    const name = '<!channel> <https://evil.example|click> [x](http://y) @everyone **b** `c` _d_\n\u202e&';
    happenNamed({ version_name: name, build_number: 1 });
    happenNamed({ version_name: 'v'.repeat(5_000), build_number: 1 });
    await fixture.drain();
    const slack = sentTo('slack') as { text: string; blocks: { fields: { type: string; text: string }[] }[] };
    expect(slack.text).toContain('&lt;!channel&gt; &lt;https://evil.example|click&gt;');
    expect(slack.text).not.toContain('<');
    expect(slack.blocks[0]?.fields[1]).toMatchObject({ type: 'plain_text' });
    const discord = sentTo('discord') as { embeds: { fields: { value: string }[] }[] };
    const shown = discord.embeds[0]?.fields[1]?.value ?? '';
    expect(shown).toContain('\\[x\\](http\\://y) @everyone \\*\\*b\\*\\* \\`c\\` \\_d\\_ &');
    expect(shown).toContain('\\<!channel\\>');
    expect(shown).not.toMatch(/[\n\u202e]/);
    expect(slack.text).not.toMatch(/@\w/);
    const long = JSON.stringify(receiver.at('/teams')[1]?.json);
    expect(long.length).toBeLessThan(1_000);
  });

  it.each(['# heading', '- item', '+ item', '> quote', '<@&1> x', 'https://evil.example/', '-# small'])(
    'contains %s literally',
    async (name) => {
      happenNamed({ channel: name });
      await fixture.drain();
      const { embeds } = sentTo('discord') as { embeds: { fields: { name: string; value: string }[] }[] };
      const shown = embeds[0]?.fields.find((field) => field.name === 'Channel')?.value ?? '';
      expect(shown.replace(/\\(?=[^\p{L}\d\s])/gu, '')).toBe(name);
      // Nothing at the beginning, and no address, that means something to Markdown.
      expect(shown).not.toMatch(/^[#>+-]|[^\\][<>]|(?<!\\):\/\//);
    },
  );

  it('omits an invisible name, because chats reject empty fields', async () => {
    happenNamed({ channel: '\u200b\u2060', version_name: '1.0', build_number: 3 });
    await fixture.drain();
    const { embeds } = sentTo('discord') as { embeds: { fields: { name: string }[] }[] };
    expect(embeds[0]?.fields.map(({ name }) => name)).toEqual(['Project', 'Version']);
    expect(sentTo('slack')).toMatchObject({ text: `Build deleted · ${projectName} · 1.0 (3)` });
  });
});
