// The lists of everything that rows refer to: what they leave out isn't backed up, moved or checked.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { checkObjects } from '../../src/checks/storage.ts';
import { systemContext } from '../../src/core/transact.ts';
import { countStoredObjects, listStoredObjects } from '../../src/storage/stored-objects.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { sendFromApp } from '../feedback/scenario.ts';
import { startSdkScenario } from '../sdk/scenario.ts';
import { buildPng } from '../support/fixtures.ts';

/** Columns whose name says that they have a key, but not one that keeps an object. */
const OTHERS = [
  'builds.version_key',
  'federation_keys.public_key',
  'jobs.dedupe_key',
  'passkeys.public_key',
  'sdk_apps.app_key',
  'signing_keys.public_key',
  'sso_connections.identity_key',
  'sso_connections.session_key',
  // The object of an upload that isn't complete, or the state of one that is listed.
  'doomed_objects.object_key',
  'object_places.object_key',
  'object_problems.object_key',
  'pending_uploads.object_key',
];

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.stop());

describe('the columns with the key of an object', () => {
  const columnsWithKey = () =>
    fixture.app.db.$client
      .prepare<[], string>(
        `SELECT m.name || '.' || c.name FROM sqlite_master m, pragma_table_info(m.name) c
          WHERE m.type = 'table' AND c.name LIKE '%\\_key' ESCAPE '\\' ORDER BY 1`,
      )
      .pluck()
      .all()
      .filter((column) => !OTHERS.includes(column));

  /** Returns the columns whose keys some work lists. */
  async function columnsRead(work: () => unknown): Promise<string[]> {
    const prepare = vi.spyOn(fixture.app.db.$client, 'prepare');
    await work();
    const texts = prepare.mock.calls.map(([text]) => text);
    prepare.mockRestore();
    return texts
      .flatMap((text) => [...text.matchAll(/, (\w+) AS key,.*? FROM (\w+)\s+WHERE id >/gs)])
      .map(([, column, table]) => `${table}.${column}`)
      .toSorted();
  }

  it('are all listed for backups, moves and verification', async () => {
    expect(await columnsRead(() => [...listStoredObjects(fixture.app)])).toEqual(columnsWithKey());
  });

  it('are all examined by the health checks', async () => {
    const { db, storage } = fixture.app;
    expect(await columnsRead(() => checkObjects(db.$client, storage))).toEqual(columnsWithKey());
  });
});

describe('a picture of feedback', () => {
  it('is listed with its project, and for its organization', async () => {
    const sdk = await startSdkScenario(fixture);
    await sdk.release('1.4.0', 77);
    const { update_token: token } = await sdk.enroll();
    const sent = await sendFromApp(sdk, fixture, token, { text: 'It crashes', pictures: [buildPng(4, 3)] });
    expect(sent.status, sent.text).toBe(201);
    const ctx = systemContext(fixture.app);
    const pictureOf = (organizationId: string) =>
      [...listStoredObjects(ctx, { organizationId })].filter(({ what }) => what === 'picture of feedback');
    const [picture, ...more] = pictureOf(fixture.organization_id);
    expect(more).toEqual([]);
    expect(picture).toMatchObject({ build: null, project: fixture.android_project_id, size: null, sha256: null });
    expect(await fixture.app.storage.head(picture?.key ?? '')).toBeDefined();
    const all = [...listStoredObjects(ctx)];
    expect(all).toContainEqual(picture);
    expect(countStoredObjects(ctx)).toBe(all.length);
    expect(pictureOf('00000000-0000-7000-8000-000000000000')).toEqual([]);
  });
});
