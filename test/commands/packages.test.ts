// taxiway verify and check with damaged packages.
import { chmodSync, readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findBuild } from '../../src/builds/store.ts';
import { type Build, type BuildScenario, startBuildScenario, uploadBuild } from '../builds/scenario.ts';
import { buildApk } from '../support/fixtures.ts';
import { openWorkshop, type Workshop } from './test-host.ts';

const bytes = buildApk();
let scenario: BuildScenario;
let workshop: Workshop;
let whole: Build;
let damaged: Build;
let file: string;
beforeEach(async () => {
  scenario = await startBuildScenario();
  const { config } = scenario.fixture;
  workshop = openWorkshop({ TAXIWAY_SERVER__DATA_DIR: config.server.data_dir, TAXIWAY_LOG__LEVEL: 'silent' });
  whole = await uploadBuild(scenario.ci, scenario.android, bytes);
  damaged = await uploadBuild(scenario.ci, scenario.android, bytes);
  file = join(
    config.storage.local.directory,
    'objects',
    findBuild(scenario.fixture.app, damaged.identifier)?.objectKey ?? '',
  );
  chmodSync(file, 0o644);
});
afterEach(async () => {
  workshop[Symbol.dispose]();
  await scenario[Symbol.asyncDispose]();
});

function flip(): void {
  const { atime, mtime } = statSync(file);
  const content = readFileSync(file);
  content[100] = (content[100] ?? 0) ^ 1;
  writeFileSync(file, content);
  utimesSync(file, atime, mtime);
}

describe('verify', () => {
  it('reads all stored packages', async () => {
    const { code, stdout } = await workshop.run(['verify']);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^stored packages: 2 read, undamaged$/m),
    });
    const answer = JSON.parse((await workshop.run(['verify', '--json'])).stdout);
    expect(answer).toMatchObject({
      ok: true,
      packages: { checked: 2, bytes: 2 * bytes.length, without_checksum: 0, problems: [], unlisted_problems: 0 },
    });
  });

  it.each([
    ['other bytes', flip, 'content', 'differs from the upload'],
    ['fewer bytes', () => truncateSync(file, 10), 'size', 'has another size than the upload'],
    ['no bytes', () => truncateSync(file, 0), 'size', 'has another size than the upload'],
    ['no file', () => rmSync(file), 'missing', 'is missing'],
  ])('reports a package with %s, and exits with 1', async (_, damage, problem, text) => {
    damage();
    const { code, stdout, stderr } = await workshop.run(['verify']);
    expect(code).toBe(1);
    expect(stdout).toContain(damaged.identifier);
    expect(stdout).not.toContain(whole.identifier);
    expect(stdout).toContain(text);
    expect(stderr).toContain('1 stored package is damaged');
    const answer = JSON.parse((await workshop.run(['verify', '--json'])).stdout);
    expect(answer).toMatchObject({ ok: false, packages: { problems: [{ build: damaged.identifier, problem }] } });
    expect((await workshop.run(['verify', '--no-packages'])).code).toBe(0);
  });

  it('compares packages without a checksum by size, and reports their number', async () => {
    scenario.fixture.app.db.$client.exec('UPDATE package_integrity SET sha256 = NULL');
    const { stdout } = await workshop.run(['verify']);
    expect(stdout).toContain('2 without a checksum yet, compared by size');
    truncateSync(file, 10);
    expect((await workshop.run(['verify'])).code).toBe(1);
  });

  it('reads a database of an older version', async () => {
    scenario.fixture.app.db.$client.exec('DROP TABLE package_integrity');
    expect((await workshop.run(['verify'])).stdout).toContain('2 read');
  });
});

describe('check', () => {
  const look = async () => {
    const { stdout } = await workshop.run(['check', '--json']);
    const findings = JSON.parse(stdout) as { name: string; status: string; detail: string }[];
    return Object.fromEntries(findings.map((finding) => [finding.name, finding]));
  };

  it('compares sizes and times of stored packages', async () => {
    expect((await look()).objects).toMatchObject({ status: 'ok' });
    writeFileSync(file, Buffer.alloc(bytes.length));
    expect((await look()).objects).toMatchObject({
      status: 'fail',
      detail: expect.stringContaining(`build ${damaged.identifier} was modified after the upload`),
    });
  });

  it('lists packages with known problems', async () => {
    expect((await look()).packages).toBeUndefined();
    flip();
    scenario.fixture.clock.advance(31 * 86_400_000);
    await scenario.fixture.sweep('stored-packages');
    expect((await look()).packages).toMatchObject({
      status: 'fail',
      detail: expect.stringMatching(new RegExp(`build ${damaged.identifier} differs from the upload.*Restore`)),
    });
  });
});
