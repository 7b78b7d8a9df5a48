// The update check: newer builds, mandatory releases and ETags.

import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { builds, releases } from '../../src/data/tables/tables.ts';
import { installJournalOf } from '../../src/sdk/journal.ts';
import { offersOf } from '../../src/sdk/latest.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { expectInvalid, type Page } from '../support/harness.ts';
import { type SdkScenario, startSdkScenario } from './scenario.ts';

let fixture: Fixture;
let scenario: SdkScenario;
let token: string;

beforeAll(async () => {
  // What the server writes by itself ends the answers that are kept.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  fixture = await startFixture();
});
afterAll(async () => {
  await fixture?.stop();
  vi.useRealTimers();
});
beforeEach(async () => {
  fixture.app.db.delete(releases).run();
  fixture.app.db.delete(builds).run();
  scenario = await startSdkScenario(fixture);
  token = (await scenario.enroll()).update_token;
});

async function act(releaseId: string, action: 'disable' | 'enable'): Promise<void> {
  expect((await (await scenario.staff()).post(`/api/v1/releases/${releaseId}/${action}`)).status).toBe(200);
}

describe('the update check', () => {
  it('returns nothing while the channel has no current release', async () => {
    expect((await scenario.latest(token)).body).toEqual({ update_available: false, mandatory: false, release: null });
  });

  it('returns the current release of the channel, with the fields for the app', async () => {
    const id = await scenario.release('1.2', 12);
    const { created_at, ...release } = (await scenario.latest(token, { build_number: 11 })).body
      .release as never as Record<string, unknown>;
    expect(release).toEqual({
      identifier: id,
      version_name: '1.2',
      build_number: 12,
      release_notes: 'Notes of the build',
      release_notes_text: 'Notes of the build',
      mandatory: false,
      min_os_version: null,
      size_bytes: expect.any(Number),
      sha256: '0'.repeat(64),
    });
    expect(created_at).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  });

  it('has the notes as they were written, and as plain text beside them', async () => {
    await scenario.release('1.2', 13, {
      release_notes: '## New\n- **Faster** start\n- [Guide](https://example.com/g)',
    });
    const { release } = (await scenario.latest(token, { build_number: 11 })).body as never as {
      release: Record<string, string>;
    };
    expect(release.release_notes).toBe('## New\n- **Faster** start\n- [Guide](https://example.com/g)');
    expect(release.release_notes_text).toBe('New\n\n• Faster start\n• Guide (https://example.com/g)');
  });

  it('returns the running release without an update', async () => {
    const id = await scenario.release('1.0', 1);
    const { body } = await scenario.latest(token, { build_number: 1, version_name: '1.0' });
    expect(body).toMatchObject({ update_available: false, mandatory: false, release: { identifier: id } });
  });

  it.each([
    ['a disabled release', async (id: string) => act(id, 'disable')],
    [
      'a release that was rolled back',
      async () => {
        const query = { ...scenario.inProject, channel_id: scenario.channelId };
        expect((await (await scenario.staff()).post('/api/v1/releases/rollback', undefined, query)).status).toBe(200);
      },
    ],
    [
      'a release whose build is revoked',
      async (id: string) => {
        const staff = await scenario.staff();
        const { body } = await staff.get<{ build: { identifier: string } }>(`/api/v1/releases/${id}`);
        expect((await staff.post(`/api/v1/builds/${body.build.identifier}/revoke`)).status).toBe(200);
      },
    ],
    [
      'a deleted release',
      async (id: string) => {
        expect((await (await scenario.staff()).delete(`/api/v1/releases/${id}`)).status).toBe(204);
      },
    ],
  ] as const)('is never %s, and its mandatory mark is ignored', async (_name, withdraw) => {
    const one = await scenario.release('1.0', 1);
    const two = await scenario.release('2.0', 2, { mandatory: true });
    expect((await scenario.latest(token, { build_number: 0 })).body).toMatchObject({
      mandatory: true,
      release: { identifier: two },
    });
    await withdraw(two);
    expect((await scenario.latest(token, { build_number: 0 })).body).toMatchObject({
      update_available: true,
      mandatory: false,
      release: { identifier: one },
    });
    // Who runs what was withdrawn is not sent back: phones install no older build over a newer one.
    expect((await scenario.latest(token, { build_number: 2 })).body).toMatchObject({ update_available: false });
  });

  it('follows the SDK app to another channel immediately', async () => {
    await scenario.release('1.0', 1);
    const other = await scenario.addChannel();
    const there = await scenario.release('5.0', 5, {}, other);
    expect((await scenario.latest(token)).body.release?.build_number).toBe(1);
    await (await scenario.staff()).patch(`/api/v1/sdk-apps/${scenario.app.identifier}`, { channel_id: other });
    expect((await scenario.latest(token)).body.release?.identifier).toBe(there);
  });
});

describe('a mandatory update', () => {
  // Build numbers of releases, oldest first; ! marks mandatory ones, - disabled ones.
  it.each([
    ['1 2 3', 1, [true, false]],
    ['1 2 3!', 1, [true, true]],
    ['1 2! 3', 1, [true, true]],
    ['1 2! 3', 2, [true, false]],
    ['1 2! 3', 3, [false, false]],
    ['1! 2 3', 1, [true, false]],
    ['1! 2 3', 0, [true, true]],
    ['1 2!- 3', 1, [true, false]],
    ['1 2! 3-', 1, [true, true]],
    ['1 2! 3-', 2, [false, false]],
    ['1 2 3!', 9, [false, false]],
    // An older build that was released once more.
    ['1 3! 2', 1, [true, true]],
    ['1 3! 2', 2, [false, false]],
    ['1 3! 2', 3, [false, false]],
    ['', 1, [false, false]],
  ] as [string, number, boolean[]][])('of %j for build %i is %j', async (line, running, expected) => {
    for (const text of line.split(' ').filter((part) => part !== '')) {
      const number = Number.parseInt(text, 10);
      const id = await scenario.release(`1.${number}`, number, { mandatory: text.includes('!') });
      if (text.includes('-')) await act(id, 'disable');
    }
    const { body } = await scenario.latest(token, { build_number: running });
    expect([body.update_available, body.mandatory]).toEqual(expected);
  });

  it('is returned as soon as a release is marked or unmarked', async () => {
    const id = await scenario.release('1.0', 1);
    const mark = async (mandatory: boolean) => (await scenario.staff()).patch(`/api/v1/releases/${id}`, { mandatory });
    const isMandatory = async () => (await scenario.latest(token, { build_number: 0 })).body.mandatory;
    expect(await isMandatory()).toBe(false);
    await mark(true);
    expect(await isMandatory()).toBe(true);
    await mark(false);
    expect(await isMandatory()).toBe(false);
  });
});

describe('the build that an install runs', () => {
  it('is the last reported one if a request does not contain it', async () => {
    await scenario.release('1.0', 1);
    await scenario.release('2.0', 2);
    const isOffered = async (install: string) => (await scenario.latest(install)).body.update_available;
    const outdated = await scenario.enroll({ build_number: 1, version_name: '1.0' });
    const current = await scenario.enroll({ build_number: 2, version_name: '2.0' });
    expect([await isOffered(token), await isOffered(outdated.update_token)]).toEqual([true, true]);
    expect(await isOffered(current.update_token)).toBe(false);
    await scenario.latest(outdated.update_token, { build_number: 2, version_name: '2.0' });
    installJournalOf(fixture.app).flush();
    expect(await isOffered(outdated.update_token)).toBe(false);
  });

  it.each([
    [{ build_number: -1 }, 'query.build_number: greater_than_equal'],
    [{ build_number: 'seven' }, 'query.build_number: int_type'],
    [{ build_number: '9007199254740992' }, 'query.build_number: less_than_equal'],
    [{ version_name: 'x'.repeat(256) }, 'query.version_name: string_pattern_mismatch'],
    [{ version_name: '1.0\u20281.1' }, 'query.version_name: string_pattern_mismatch'],
  ] as const)('is rejected as %j', async (query, expected) => {
    expectInvalid(await scenario.latest(token, query), expected);
  });
});

describe('the build that an iOS install runs', () => {
  it('is stored with its version, because numbers restart with each version', async () => {
    const ios = await startSdkScenario(fixture, 'ios');
    await ios.release('1.0', 1);
    await ios.release('1.1', 1);
    const { update_token } = await ios.enroll({ version_name: '1.0', build_number: 1 });
    const isOffered = async () => (await ios.latest(update_token)).body.update_available;
    expect(await isOffered()).toBe(true);
    await ios.latest(update_token, { version_name: '1.1', build_number: 1 });
    // Said in two questions, neither takes back what the other said.
    await ios.latest(update_token, { version_name: '1.1' });
    await ios.latest(update_token, { build_number: 2 });
    installJournalOf(fixture.app).flush();
    expect(await isOffered()).toBe(false);
    const path = `/api/v1/sdk-apps/${ios.app.identifier}/installs`;
    const { body } = await (await ios.staff()).get<Page>(path);
    expect(body.items).toMatchObject([{ version_name: '1.1', build_number: 2 }]);
  });
});

describe('the ETag of the update check', () => {
  const known = (etag: string, query = { build_number: 1 }) =>
    scenario.ask('/releases/latest', { key: scenario.app.app_key, token, headers: { 'if-none-match': etag } }, query);

  it('returns 304 without a body until something changes', async () => {
    await scenario.release('1.0', 1);
    const first = await scenario.latest(token, { build_number: 1 });
    const etag = first.headers.get('etag') ?? '';
    expect([first.status, first.headers.get('cache-control'), first.headers.get('vary')]).toEqual([
      200,
      'private, no-cache',
      'Authorization, X-Svc-App-Key',
    ]);
    expect(etag).toMatch(/^"[\w-]{22}"$/);
    const again = await known(etag);
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag]);
    expect((await known(`W/${etag}, "other"`)).status).toBe(304);
    expect((await known('"other"')).status).toBe(200);
    await scenario.release('2.0', 2);
    const changed = await known(etag);
    expect([changed.status, changed.body.update_available]).toEqual([200, true]);
    // Anyone who runs another build is told something else under the same address.
    expect((await known(changed.headers.get('etag') ?? '', { build_number: 2 })).status).toBe(200);
  });

  it('is the same for all installs with the same response', async () => {
    await scenario.release('1.0', 1);
    const other = await scenario.enroll();
    const tags = [await scenario.latest(token), await scenario.latest(other.update_token)].map(({ headers }) =>
      headers.get('etag'),
    );
    expect(tags[0]).toBe(tags[1]);
  });
});

describe('the answers of channels', () => {
  it('are kept with the bytes of each text, and 1,000 for all else, until something changes', async () => {
    await scenario.release('1.0', 1, { release_notes: 'x'.repeat(5_000) });
    const other = await scenario.addApp(await scenario.addChannel());
    const there = (await scenario.enroll({}, other)).update_token;
    const none = (await scenario.latest(token, { build_number: 1 })).text.length;
    const some = (await scenario.latest(token, { build_number: 0 })).text.length;
    expect(offersOf(fixture.app).bytes).toBe(1_000 + 2 * (none + some));
    const empty = (await scenario.latest(there, {}, other)).text.length;
    await scenario.latest(token, { build_number: 1 });
    expect(offersOf(fixture.app).bytes).toBe(2_000 + 2 * (none + some + empty));
    await scenario.release('2.0', 2, { mandatory: true });
    expect(offersOf(fixture.app).bytes).toBe(0);
  });
});
