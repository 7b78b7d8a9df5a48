// GET /system: the state of the machine, for operators alone.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sweeps } from '../src/sweeps.ts';
import { type Fixture, startFixture } from '../src/testing.ts';
import { api, expectRefusal, type Json } from './harness.ts';
import { addPerson, addPersonalToken } from './people.ts';
import { addBuild } from './sweeps/scene.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.stop());

const PATH = '/api/v1/system';
interface System extends Json {
  sweeps: { name: string; schedule: string; next_run_at: string; last_run: Json | null }[];
}

describe('the state of the machine', () => {
  it('tells version, disk, storage, queues, mail and certificate', async () => {
    await addBuild(fixture, 1, 0);
    const { status, body } = await api(fixture).get<System>(PATH);
    expect(status).toBe(200);
    expect(body).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      commit: 'unbuilt',
      built_at: null,
      started_at: expect.any(String),
      now: expect.any(String),
      base_url: fixture.config.server.base_url,
      database: { size_bytes: expect.any(Number), pending_migrations: 0 },
      storage: { backend: 'local', ok: true, detail: expect.any(String), builds: 1, build_bytes: 9 },
      disk: { free_bytes: expect.any(Number), total_bytes: expect.any(Number) },
      accounts: { developers: 1, organizations: 1, projects: 2 },
      jobs: { waiting: expect.any(Number), dead: 0, oldest_due_at: null, last_error: null },
      webhook_deliveries: { pending: 0, retrying: 0, dead: 0 },
      mail: {
        transport: 'outbox',
        from: 'Taxiway <taxiway@localhost>',
        pending: 0,
        kept: 0,
        sent: 0,
        failed: 0,
        last_error: null,
      },
      certificate: { mode: 'off', is_https: false, names: [], expires_at: null },
      sweeps: expect.any(Array),
    });
  });

  it('tells of every sweep when it ran, how long, what it removed and what went wrong', async () => {
    const read = async () => (await api(fixture).get<System>(PATH)).body.sweeps;
    expect((await read()).map(({ name }) => name)).toEqual(sweeps.map(({ name }) => name));
    const find = async (name: string) => (await read()).find((sweep) => sweep.name === name);
    expect(await find('pending-uploads')).toEqual({
      name: 'pending-uploads',
      schedule: '*/5 * * * *',
      next_run_at: expect.stringMatching(/:[0-5][05]:00\.000Z$/),
      last_run: null,
    });
    await fixture.sweep('pending-uploads');
    expect((await find('pending-uploads'))?.last_run).toEqual({
      started_at: expect.any(String),
      duration_ms: expect.any(Number),
      removed: 0,
      error: null,
    });
    fixture.app.db.$client.exec('ALTER TABLE mfa_reminders RENAME TO elsewhere');
    await expect(fixture.sweep('mfa-reminders')).rejects.toThrow();
    fixture.app.db.$client.exec('ALTER TABLE elsewhere RENAME TO mfa_reminders');
    expect((await find('mfa-reminders'))?.last_run).toMatchObject({ error: expect.stringContaining('no such table') });
  });

  it('is there for operators who are signed in, and for nobody else', async () => {
    const { organization_id: organizationId, admin } = fixture;
    const administrator = await addPerson(fixture, { organizations: { [organizationId]: 'admin' } });
    expectRefusal(await administrator.client.get(PATH), 404, 'not_found');
    expectRefusal(await api(fixture, null).get(PATH), 401, 'unauthorized');
    expectRefusal(await api(fixture, fixture.project_access_token).get(PATH), 403, 'permission_denied');
    const owner = { developerId: admin.developer_id, organizationId };
    const token = addPersonalToken(fixture, { ...owner, scopes: 9223372036854775807n });
    expectRefusal(await api(fixture, token).get(PATH), 403, 'permission_denied');
  });

  it('is in the metrics as well, as far as sweeps go', async () => {
    await fixture.sweep('invitations');
    const { text } = await api(fixture, null).get('/metrics');
    expect(text).toMatch(/^taxiway_sweep_last_run_seconds\{sweep="invitations"\} \d/m);
    expect(text).toMatch(/^taxiway_sweep_last_run_removed\{sweep="invitations"\} 0$/m);
    expect(text).toMatch(/^taxiway_sweep_last_run_timestamp_seconds\{sweep="invitations",result="done"\} \d/m);
  });
});
