// taxiway storage verify, and refusals of taxiway storage move.
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findBuild } from '../../src/builds/store.ts';
import { systemContext } from '../../src/core/transact.ts';
import { activateContainer } from '../../src/storage/azure/containers.ts';
import { type Build, type BuildScenario, startBuildScenario, uploadAnswer } from '../builds/scenario.ts';
import { buildApk } from '../support/fixtures.ts';
import { ABSENT, auditMark, auditRows, expectRefusal } from '../support/harness.ts';
import { openWorkshop, type Workshop } from './test-host.ts';

const bytes = buildApk();
let scenario: BuildScenario;
let workshop: Workshop;
let build: Build;
let file: string;
let key: string;
beforeEach(async () => {
  scenario = await startBuildScenario();
  const { config, app } = scenario.fixture;
  workshop = openWorkshop({ TAXIWAY_SERVER__DATA_DIR: config.server.data_dir, TAXIWAY_LOG__LEVEL: 'silent' });
  build = await uploadAnswer(scenario.ci, scenario.android, bytes);
  key = findBuild(app, build.identifier)?.objectKey ?? '';
  file = join(config.storage.local.directory, 'objects', key);
});
afterEach(async () => {
  workshop[Symbol.dispose]();
  await scenario[Symbol.asyncDispose]();
});

describe('storage verify', () => {
  const verify = async (...words: string[]) => {
    const { code, stdout } = await workshop.run(['storage', 'verify', '--json', ...words], { random: () => 0.6 });
    return { code, ...JSON.parse(stdout) };
  };
  const download = () => scenario.ci.get(`/api/v1/builds/${build.identifier}/download`);

  it('reads every object, or a sample', async () => {
    const all = await verify();
    expect(all).toMatchObject({ code: 0, ok: true, problems: [], unlisted_problems: 0 });
    expect(all.checked).toBe(all.total);
    expect(all.total).toBeGreaterThanOrEqual(2);
    expect(await verify('--sample', '1')).toMatchObject({ code: 0, checked: 1, total: all.total });
    expect(await verify('--sample', '999')).toMatchObject({ code: 0, checked: all.total });
    expect((await workshop.run(['storage', 'verify', '--sample', '0'])).code).toBe(2);
  });

  it('names a damaged package with build and project, and the server does not deliver it', async () => {
    expect((await download()).status).toBe(200);
    rmSync(file);
    writeFileSync(file, Buffer.alloc(bytes.length, 7));
    const named = { what: 'package', key, backend: 'local', build: build.identifier };
    const problem = { ...named, project: scenario.android.project_id, text: 'differs from the upload' };
    expect(await verify()).toMatchObject({ code: 1, ok: false, problems: [problem] });
    expectRefusal(await download(), 503, 'storage_backend_unavailable');
    const { stdout, stderr } = await workshop.run(['storage', 'verify']);
    expect(stdout).toContain(build.identifier);
    expect(stderr).toBe('taxiway: 1 object missing or damaged\n');
    writeFileSync(file, bytes);
    expect(await verify()).toMatchObject({ code: 0, problems: [] });
    expect((await download()).status).toBe(200);
  });

  it('names missing packages and icons', async () => {
    rmSync(file);
    rmSync(join(file, '..', 'icon'));
    expect((await verify()).problems).toMatchObject([
      { what: 'package', build: build.identifier, text: 'is missing' },
      { what: 'icon of a build', build: build.identifier, text: 'is missing' },
    ]);
  });
});

describe('a folder of objects that is missing, as without its disk', () => {
  it('is created by no command, so that its objects are unavailable instead of missing', async () => {
    const { directory } = scenario.fixture.config.storage.local;
    const download = () => scenario.ci.get(`/api/v1/builds/${build.identifier}/download`);
    const run = async (...words: string[]) => {
      const { code, stdout, stderr } = await workshop.run(words);
      expect(existsSync(directory), words.join(' ')).toBe(false);
      return { code, text: stdout + stderr };
    };
    renameSync(directory, `${directory}-elsewhere`);
    const advice = 'mount its disk or restore it; to continue without packages, create it and restart the server';
    const { code, text } = await run('check');
    expect(code).toBe(1);
    expect(text).toMatch(/^fail +storage/m);
    expect(text).toContain(`the folder ${join(directory, 'objects')} is missing: ${advice}\n`);
    expect((await run('developer', 'list')).code).toBe(0);
    const unavailable = { code: 1, text: 'taxiway: the folder of the objects is missing\n' };
    expect(await run('backup', join(workshop.folder, 'backups'))).toEqual(unavailable);
    expect((await run('storage', 'verify')).code).toBe(1);
    expect((await run('verify')).code).toBe(1);
    expectRefusal(await download(), 503, 'storage_backend_unavailable');
    // The empty folder that a disk is mounted at.
    mkdirSync(directory);
    expect((await workshop.run(['verify'])).code).toBe(1);
    expect((await workshop.run(['check'])).code).toBe(1);
    expect(readdirSync(directory)).toEqual([]);
    rmdirSync(directory);
    renameSync(`${directory}-elsewhere`, directory);
    expect((await download()).status).toBe(200);
    expect((await workshop.run(['storage', 'verify'])).code).toBe(0);
  });
});

describe('storage move', () => {
  it.each([
    [['--to', 's3'], 1, 'there is no bucket to move to'],
    [['--to', 'local'], 1, 'all objects are in "local"'],
    [['--to', 'tape'], 2, 'local, s3, azure'],
    [['--to', 'azure'], 1, 'a container belongs to one organization: add --organization ID'],
    [[], 2, '--to'],
    [['--to', 's3', '--organization', ABSENT], 1, 'there is no bucket to move to'],
  ])('%j is refused', async (words, code, text) => {
    const outcome = await workshop.run(['storage', 'move', ...words]);
    expect({ code: outcome.code, stdout: outcome.stdout }).toEqual({ code, stdout: '' });
    expect(outcome.stderr).toContain(text);
  });
});

describe('storage leave', () => {
  const leave = (...words: string[]) =>
    workshop.run(['storage', 'leave', '--organization', scenario.android.organization_id, ...words]);
  const activate = (account: string) => {
    const ids = { tenantId: ABSENT, clientId: ABSENT };
    const { organization_id: organizationId } = scenario.android;
    const connection = { organizationId, account, container: 'test-builds', ...ids, secret: null };
    systemContext(scenario.fixture.app).transact((tx) => activateContainer(tx, connection), { bookkeeping: true });
  };

  it('stores new packages on the server again, and moving to the container is refused from then on', async () => {
    const { fixture, android } = scenario;
    expect(await leave()).toMatchObject({
      code: 1,
      stderr: 'taxiway: the organization has no container of its own for new builds (not_found)\n',
    });
    const { organization_id: organizationId } = android;
    activate('acmebuilds');
    expect(fixture.app.storage.placeForNew(organizationId)).toMatch(/^azure:/);
    const mark = auditMark(fixture);
    expect(await leave()).toMatchObject({
      code: 0,
      stdout: 'new packages are stored by the server again, no longer in the container test-builds\n',
    });
    expect(fixture.app.storage.placeForNew(organizationId)).toBe('local');
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      { event: 'storage_left', type: 'storage_backend', details: { account: 'acmebuilds', container: 'test-builds' } },
    ]);
    const moved = await workshop.run(['storage', 'move', '--to', 'azure', '--organization', organizationId]);
    expect(moved).toMatchObject({
      code: 1,
      stderr: 'taxiway: the organization has no container of its own for new builds\n',
    });
  });

  it('prints the former container as JSON', async () => {
    activate('acmeothers');
    const { code, stdout } = await leave('--json');
    expect({ code, printed: JSON.parse(stdout) }).toEqual({
      code: 0,
      printed: {
        organization_id: scenario.android.organization_id,
        storage_account: 'acmeothers',
        container: 'test-builds',
      },
    });
  });
});
