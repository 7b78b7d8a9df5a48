// The search in lists of testers, by name or email address.
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { developers, testerGrants } from '../../src/data/tables/tables.ts';
import { expectInvalid, type Page, type Query, walkPages } from '../support/harness.ts';
import type { Person } from '../support/people.ts';
import { countRowsInOneTurn, stopRunners } from '../support/turns.ts';
import { startTesterScenario, type TesterScenario } from './scenario.ts';

interface Listed {
  identifier: string;
  email: string;
}

let scenario: TesterScenario;
const lists: Record<string, string> = {};
let jose: Person;
let mia: Person;

beforeAll(async () => {
  scenario = await startTesterScenario();
  const { app } = scenario.fixture;
  const name = (person: Person, facts: { displayName: string; email?: string }) =>
    app.db.update(developers).set(facts).where(eq(developers.id, person.id)).run();
  jose = await scenario.person();
  mia = await scenario.person();
  name(jose, { displayName: 'Jos\u00e9 M\u00fcller' });
  const channel = await scenario.makeChannel();
  for (const person of [jose, mia]) {
    await scenario.grant(person, 'organization');
    await scenario.grant(person, 'project');
    await scenario.admit(person, channel);
  }
  const group = await scenario.group(jose, { channel_id: channel.id });
  await scenario.admin.post(`${group}/members`, { email: mia.email });
  // Since the invitation, she has another address.
  name(mia, { displayName: 'Mia Chen', email: 'mia@moved.example' });
  Object.assign(lists, {
    organization: `${scenario.organizationPath}/testers`,
    project: `${scenario.projectPath}/testers`,
    channel: `${channel.path}/testers`,
    group: `${group}/members`,
  });
});
afterAll(() => scenario?.fixture.stop());

async function emails(list: string, query: Query): Promise<string[]> {
  const { status, body } = await scenario.admin.get<Page<Listed>>(lists[list] ?? '', query);
  expect([status, body.next_cursor]).toEqual([200, null]);
  return body.items.map(({ email }) => email);
}

describe.each(['organization', 'project', 'channel', 'group'])('the list of testers of a %s', (list) => {
  it('is searched by a part of the name, in any case and however its accents are written', async () => {
    for (const text of ['M\u00dcLL', 'jose\u0301 m', 'Jos\u00e9']) {
      expect(await emails(list, { text })).toEqual([jose.email]);
    }
    expect(await emails(list, { text: 'chen' })).toEqual(['mia@moved.example']);
    expect(await emails(list, { text: 'i' })).toEqual(['mia@moved.example']);
    expect(await emails(list, { text: '%' })).toEqual([]);
  });

  it('is searched by a part of the email address that is shown', async () => {
    expect(await emails(list, { text: jose.email.toUpperCase() })).toEqual([jose.email]);
    expect(await emails(list, { text: '@moved.' })).toEqual(['mia@moved.example']);
    expect(await emails(list, { text: mia.email })).toEqual([]);
  });

  it('is read page by page', async () => {
    const pages = await walkPages<Listed>(scenario.admin, lists[list] ?? '', { text: 'M', limit: 1 });
    expect(pages.map((page) => page.map(({ email }) => email))).toEqual([['mia@moved.example'], [jose.email]]);
  });

  it('requires a text of one line', async () => {
    const path = lists[list] ?? '';
    expectInvalid(await scenario.admin.get(path, { text: '  ' }), 'query.text: string_too_short');
    expectInvalid(await scenario.admin.get(path, { text: 'a'.repeat(255) }), 'query.text: string_too_long');
    expectInvalid(await scenario.admin.get(path, { text: 'a\u0000' }), 'query.text: string_pattern_mismatch');
  });
});

describe('the search', () => {
  it('finds pending people by the address that was granted access', async () => {
    await scenario.admin.post(lists.project ?? '', { email: 'later@pending.example' });
    expect(await emails('project', { text: 'PENDING.ex' })).toEqual(['later@pending.example']);
  });

  it('also selects the rows of the CSV file of a channel', async () => {
    const csv = async (query: Query) => {
      const { text } = await scenario.admin.get(lists.channel ?? '', { format: 'csv', ...query });
      return text
        .trim()
        .split('\r\n')
        .slice(1)
        .map((line) => line.split(',')[0]);
    };
    expect(await csv({ text: 'chen' })).toEqual(['mia@moved.example']);
    expect(await csv({ text: 'nobody' })).toEqual([]);
    expect(await csv({})).toEqual(['mia@moved.example', jose.email]);
  });

  it('reads a limited number of people for a page, and lets other requests run in between', async () => {
    const { app, organization_id: organizationId } = scenario.fixture;
    const projectId = scenario.fixture.ios_project_id;
    const now = app.clock.time();
    app.db.$client.transaction(() => {
      for (let number = 0; number < 5_001; number += 1) {
        const email = `tester-${number}@people.example`;
        const grant = { targetId: projectId, projectId, email, createdAt: now, notifiedAt: now };
        app.db
          .insert(testerGrants)
          .values({ ...grant, id: app.ids.next(), organizationId })
          .run();
      }
    })();
    const path = `/api/v1/projects/${projectId}/testers`;
    const pages = await walkPages<Listed>(scenario.admin, path, { text: 'tester-0@' });
    expect(pages.map((page) => page.map(({ email }) => email))).toEqual([[], ['tester-0@people.example']]);
    await stopRunners(app);
    const first = () => scenario.admin.get(path, { text: 'tester-0@' });
    expect(await countRowsInOneTurn(app.db.$client, first)).toBeLessThan(150);
  });
});
