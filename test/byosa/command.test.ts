// taxiway storage-request: the operator's decisions on the machine of the server.
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { openWorkshop, type Workshop } from '../commands/test-host.ts';
import { ABSENT } from '../support/harness.ts';

describe('taxiway storage-request', () => {
  let workshop: Workshop;
  let id: string;

  beforeAll(async () => {
    workshop = openWorkshop();
    const made = await workshop.run(
      [
        'developer',
        'create',
        '--email',
        'dana@example.com',
        '--password-stdin',
        '--verified',
        '--organization',
        'Acme\u202e',
        '--json',
      ],
      { stdin: Readable.from(['correct horse battery']) },
    );
    expect(made.stderr).toBe('');
    id = await addRequest(workshop);
  });
  afterAll(() => workshop?.[Symbol.dispose]());

  it('lists requests, as text without control characters and as JSON', async () => {
    const { code, stdout } = await workshop.run(['storage-request', 'list', '--open']);
    expect(code).toBe(0);
    expect(stdout).toContain(id);
    expect(stdout).toContain('awaiting_approval  acmebuilds/builds  Acme\ufffd');
    const json = await workshop.run(['storage-request', 'list', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject([{ identifier: id, status: 'awaiting_approval' }]);
    expect(json.stdout).not.toContain('client_secret');
  });

  it('rejects with a reason and only once', async () => {
    expect((await workshop.run(['storage-request', 'reject', id])).code).toBe(2);
    const done = await workshop.run(['storage-request', 'reject', id, '--reason', 'Another region']);
    expect([done.code, done.stdout]).toEqual([0, 'rejected: acmebuilds/builds for Acme\ufffd\n']);
    const again = await workshop.run(['storage-request', 'approve', id]);
    expect([again.code, again.stderr]).toEqual([
      1,
      'taxiway: Only a request that passed validation can be approved; this one is rejected (operation_not_allowed)\n',
    ]);
    const unknown = await workshop.run(['storage-request', 'approve', ABSENT]);
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      'taxiway: There is no storage request with this ID (not_found)\n',
    ]);
    const rest = await workshop.run(['storage-request', 'list', '--open']);
    expect([rest.code, rest.stdout, rest.stderr]).toEqual([0, '', 'No storage requests.\n']);
  });
});

/** Adds a validated request of the only organization. */
async function addRequest(workshop: Workshop): Promise<string> {
  const { openApp } = await import('../../src/app.ts');
  const { organizations, storageRequests } = await import('../../src/data/tables/tables.ts');
  const config = loadConfig({ env: {}, cwd: workshop.folder });
  const { app, close } = await openApp({ ...config, log: { ...config.log, level: 'silent' } });
  try {
    const id = app.ids.next();
    const organizationId = app.db.select({ id: organizations.id }).from(organizations).get()?.id ?? '';
    app.db
      .insert(storageRequests)
      .values({
        id,
        organizationId,
        tenantId: ABSENT,
        clientId: ABSENT,
        account: 'acmebuilds',
        container: 'builds',
        authentication: 'federation',
        status: 'awaiting_approval',
        validatedAt: app.clock.now().getTime(),
        createdAt: app.clock.now().getTime(),
      })
      .run();
    return id;
  } finally {
    await close();
  }
}
