// Reads respond the same during and after a deletion in steps.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { finishRemovals } from '../../src/core/removal.ts';
import { systemContext } from '../../src/core/transact.ts';
import type { Operation } from '../../src/http/operation.ts';
import { operations } from '../../src/operations.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { api, type Client } from '../support/harness.ts';
import { addPerson, type Person } from '../support/people.ts';
import { addResources, addressOf, type Resources } from '../support/resources.ts';

let fixture: Fixture;
let resources: Resources;
let tester: Person;
let member: Person;
let ids: Record<string, string>;

const sqlite = () => fixture.app.db.$client;

beforeEach(async () => {
  fixture = await startFixture();
  const organizationId = fixture.organization_id;
  resources = await addResources(fixture);
  const idOf = (name: string) => resources.pathId({ path: '' } as Operation, name);
  member = await addPerson(fixture, {
    organizations: { [organizationId]: 'admin' },
    projects: { [fixture.android_project_id]: 'admin' },
  });
  tester = await addPerson(fixture);
  const client = api(fixture);
  const groups = `/api/v1/organizations/${organizationId}/tester-groups`;
  const group = await client.post<{ identifier: string }>(groups, { name: 'friends' });
  const groupPath = `${groups}/${group.body.identifier}`;
  const added = await client.post(`${groupPath}/members`, { email: tester.email });
  const granted = await client.post<{ identifier: string }>(`${groupPath}/grants`, { channel_id: idOf('channel_id') });
  expect([added.status, granted.status]).toEqual([201, 201]);
  const invited = await client.post(`/api/v1/organizations/${organizationId}/invites`, {
    email: 'invited@example.test',
    role: 'member',
  });
  expect(invited.status, invited.text).toBe(201);
  // Everyone's account has made something.
  for (const table of ['projects', 'releases', 'sdk_apps', 'webhook_subscriptions', 'organizations'])
    sqlite().prepare(`UPDATE ${table} SET created_by = ?`).run(member.id);
  sqlite().prepare('UPDATE builds SET uploaded_by_developer_id = ?').run(member.id);
  sqlite().prepare('UPDATE project_access_tokens SET owner_id = ?, created_by = ?').run(member.id, member.id);
  ids = {
    group_id: group.body.identifier,
    grant_id: granted.body.identifier,
    channels: idOf('channel_id'),
    builds: idOf('build_id'),
    releases: idOf('release_id'),
    sdk_apps: idOf('sdk_app_id'),
    tester_groups: group.body.identifier,
    developers: member.id,
    projects: fixture.android_project_id,
    organizations: organizationId,
  };
});
afterEach(() => fixture.stop());

/**
 * What deletion writes for each row, what counts requests and downloads, and what knows no rows. Reading the newest package of a
 * feed counts a download, so the second time would differ from the first.
 */
const OTHERS =
  /download|package|latest\.apk|capability|manifest|^\/metrics|^\/health|^\/api\/(?:docs|openapi)|^\/setup|\/audit|\/system|\/captcha|^\/api\/v1\/(?:service|version)|\.mobileconfig|assets/;
const reads = operations.filter((row) => row.method === 'get' && !OTHERS.test(row.path));

/** What everyone is answered by every operation that reads. */
async function readEverything(): Promise<Record<string, string>> {
  const callers: Record<string, Client> = {
    admin: api(fixture),
    tester: tester.client,
    nobody: api(fixture, null),
  };
  const answers: Record<string, string> = {};
  for (const row of reads) {
    for (const [name, client] of Object.entries(callers)) {
      const { status, text } = await client.send('GET', addressOf(resources, row, ids));
      // A page has links of its own each time, and credentials note their use.
      const stable = text
        .replaceAll(
          /<svg[\s\S]*?<\/svg>|"last_used_at":[^,}]*|(?:href|action|value)="[^"]*"|(?:sig|capability)=[^"&]*/g,
          '',
        )
        // The id of a deleted account says nothing of anyone.
        .replaceAll(`"${member.id}"`, 'null');
      answers[`${name}: ${row.path}`] = `${status} ${stable}`;
    }
  }
  return answers;
}

/** What two answers have from their first difference on. */
function excerpt(name: string, during = '', after = ''): string {
  const at = [...during].findIndex((character, index) => character !== after[index]);
  const [one, other] = [during, after].map((text) => text.slice(Math.max(0, at - 80), at + 80));
  return `${name}: ${one} | ${other}`;
}

/** Leaves all of a deletion to its job, except for the row itself. */
function removeRowAlone(table: string, id: string): void {
  sqlite().pragma('foreign_keys = OFF');
  sqlite()
    .prepare(
      `INSERT INTO removals (root_id, root_table, actor_kind, facts, created_at) VALUES (?, ?, 'system', '{}', 0)`,
    )
    .run(id, table);
  fixture.app.db.$client.prepare(`DELETE FROM ${table} WHERE id = ?`).run(id);
  sqlite().pragma('foreign_keys = ON');
}

describe('an unfinished deletion', () => {
  it.each(['channels', 'builds', 'releases', 'sdk_apps', 'tester_groups', 'developers', 'projects', 'organizations'])(
    'hides all rows below a row of %s',
    async (table) => {
      if (table === 'projects' || table === 'organizations') {
        for (const from of ['releases', 'build_inspections', 'package_integrity', 'builds', 'pending_uploads'])
          sqlite().exec(`DELETE FROM ${from}`);
      }
      if (table === 'organizations') {
        for (const from of ['sdk_apps', 'channels', 'projects']) sqlite().exec(`DELETE FROM ${from}`);
      }
      removeRowAlone(table, ids[table] ?? '');
      const during = await readEverything();
      expect(await finishRemovals(systemContext(fixture.app))).toBe(true);
      expect(sqlite().pragma('foreign_key_check')).toEqual([]);
      const after = await readEverything();
      const different = Object.keys(after).filter((name) => after[name] !== during[name]);
      expect(different.map((name) => excerpt(name, during[name], after[name]))).toEqual([]);
    },
  );

  it('of a build does not prevent deleting its channel without force', async () => {
    sqlite().exec('DELETE FROM sdk_apps');
    removeRowAlone('builds', ids.builds ?? '');
    expect((await api(fixture).delete(`/api/v1/channels/${ids.channels}`)).status).toBe(204);
    // Two deletions that share rows end well in any order.
    expect(await finishRemovals(systemContext(fixture.app))).toBe(true);
    expect(sqlite().pragma('foreign_key_check')).toEqual([]);
  });
});
