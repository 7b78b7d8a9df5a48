// taxiway upload --notes-from-git: the subjects of the commits since the build that is live on the channel.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { writeNotes } from '../../src/commands/client/git-notes.ts';
import { buildDemoApk } from '../support/fixtures.ts';
import { type FakeServer, PROJECT, startFakeServer, TOKEN } from './fake-server.ts';
import { openWorkshop, type Workshop } from './test-host.ts';

const identity = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };

let fake: FakeServer;
let workshop: Workshop;
let repository: string;
beforeAll(async () => {
  fake = await startFakeServer();
  workshop = openWorkshop();
  writeFileSync(join(workshop.folder, 'app.apk'), buildDemoApk());
  repository = join(workshop.folder, 'repository');
  mkdirSync(repository);
  git('init', '--quiet', '--initial-branch', 'main');
  const history = Array.from({ length: 25 }, (_, index) => {
    const message = `Commit ${index + 1}`;
    return `commit refs/heads/main\ncommitter Zoe <zoe@example.com> ${1_700_000_000 + index} +0000\ndata ${message.length}\n${message}\n`;
  });
  execFileSync('git', ['fast-import', '--quiet'], {
    cwd: repository,
    env: { ...process.env, ...identity },
    input: history.join(''),
  });
});
afterEach(() => {
  fake.seen.splice(0);
  fake.changes = {};
});
afterAll(async () => {
  await fake[Symbol.asyncDispose]();
  workshop[Symbol.dispose]();
});

function git(...words: string[]): string {
  const env = { ...process.env, ...identity };
  const who = ['-c', 'user.name=Zoe', '-c', 'user.email=zoe@example.com', '-c', 'commit.gpgsign=false'];
  return execFileSync('git', [...who, ...words], { cwd: repository, env, encoding: 'utf8' }).trim();
}

function commit(message: string): string {
  git('commit', '--quiet', '--allow-empty', '--cleanup=verbatim', '--message', message);
  return git('rev-parse', 'HEAD');
}

async function upload(cwd = repository, ...words: string[]) {
  const file = join(workshop.folder, 'app.apk');
  const env = {
    TAXIWAY_URL: `${fake.url}/`,
    TAXIWAY_TOKEN: TOKEN,
    XDG_CONFIG_HOME: join(workshop.folder, 'home'),
    ...identity,
  };
  const all = ['upload', file, '--project', PROJECT, '--no-source', '--notes-from-git', '--channel', 'beta', ...words];
  const outcome = await workshop.run(all, { env, cwd });
  const sent = (route: string) => fake.seen.find((one) => one.route === route)?.body as { release_notes?: string };
  const notes = sent('POST /builds/initiate')?.release_notes;
  return { ...outcome, notes, releaseNotes: sent('POST /releases')?.release_notes };
}

it('lists the subjects since the build that is live on the channel, without merges', async () => {
  const start = git('rev-parse', 'HEAD');
  fake.changes = { served: { commit: start } };
  git('checkout', '--quiet', '-b', 'feature');
  commit('Show tides');
  git('checkout', '--quiet', 'main');
  commit('# 1. Fix \u001b[31m`start`\u202e\n\nThe body is left out.');
  git('merge', '--quiet', '--no-ff', '--message', 'Merge branch feature', 'feature');
  const { code, notes, releaseNotes, stderr } = await upload();
  expect(code, stderr).toBe(0);
  expect(notes?.split('\n').sort()).toEqual(['- Show tides', '- \\# 1. Fix [31m`start`'].sort());
  expect(releaseNotes).toBe(notes);
});

it('has no notes if the same commit is live on the channel', async () => {
  fake.changes = { served: { commit: git('rev-parse', 'HEAD') } };
  const { code, notes, releaseNotes, stderr } = await upload();
  expect([code, notes, releaseNotes]).toEqual([0, undefined, undefined]);
  expect(stderr).toContain('No commits since the build that is live on the channel, so there are no notes from git.');
});

it('lists the last 20 subjects if it does not know where to begin, and says why', async () => {
  const cases: [unknown, string][] = [
    [undefined, 'No build is live on beta yet; the notes have the last 20 subjects.'],
    [null, '5.0.0 (25), which is live on beta, has no commit; the notes have the last 20 subjects.'],
    [{ commit: '--output=x' }, 'has no commit; the notes have the last 20 subjects.'],
    [
      { commit: 'f'.repeat(40) },
      "5.0.0 (25) of commit ffffffffffff is live on beta, but it isn't in this clone; the notes have the last 20 subjects.",
    ],
  ];
  for (const [served, message] of cases) {
    fake.seen.splice(0);
    fake.changes = served === undefined ? {} : { served: served as Record<string, unknown> };
    const { code, notes, stderr } = await upload();
    expect(code, stderr).toBe(0);
    expect(stderr).toContain(message);
    expect(notes?.split('\n')).toHaveLength(20);
  }
});

it('explains how to complete a shallow clone', async () => {
  const first = git('rev-list', '--max-parents=0', 'HEAD');
  const shallow = join(workshop.folder, 'shallow');
  git('clone', '--quiet', '--depth', '3', `file://${repository}`, shallow);
  fake.changes = { served: { commit: first } };
  const { code, notes, stderr } = await upload(shallow);
  expect(code, stderr).toBe(0);
  expect(stderr).toContain(
    'but this clone is shallow. Fetch its history with "git fetch --unshallow", or with fetch-depth: 0 in GitHub Actions; the notes have the last 20 subjects.',
  );
  expect(notes).toContain('- Show tides');
});

it('fits into the limit of notes, and counts what it leaves out', () => {
  const notes = writeNotes(
    Array.from({ length: 500 }, () => '😀'.repeat(300)),
    1_234,
  );
  expect(notes.length).toBeLessThanOrEqual(10_000);
  const lines = notes.split('\n');
  expect(lines[0]).toBe(`- ${'😀'.repeat(99)}…`);
  expect(lines.at(-1)).toBe(`- … and ${1_234 - (lines.length - 1)} more`);
  expect(writeNotes(['- a', '1. b', '#3'], 3)).toBe('- \\- a\n- 1\\. b\n- \\#3');
});

it('needs a channel and a repository, and no other notes', async () => {
  const run = (cwd: string, ...words: string[]) =>
    workshop.run(['upload', join(workshop.folder, 'app.apk'), '--project', PROJECT, '--notes-from-git', ...words], {
      env: { TAXIWAY_URL: `${fake.url}/`, TAXIWAY_TOKEN: TOKEN, XDG_CONFIG_HOME: join(workshop.folder, 'home') },
      cwd,
    });
  expect((await run(repository)).stderr).toContain('--notes-from-git: requires --channel');
  expect((await run(repository, '--channel', 'beta', '--notes', 'a')).stderr).toContain('use either this or --notes');
  writeFileSync(join(repository, 'notes.md'), 'Notes');
  const file = await run(repository, '--channel', 'beta', '--notes-file', 'notes.md');
  expect(file.stderr).toContain('use either this or --notes-file');
  const outside = await run(workshop.folder, '--channel', 'beta');
  expect(outside.stderr).toContain("isn't in a Git repository with a commit");
  expect(fake.routes()).not.toContain('POST /builds/initiate');
});

it('warns about a build over the size budget', async () => {
  fake.changes = { overBudget: 3_100_000 };
  const { code, stderr } = await upload();
  expect(code).toBe(0);
  expect(stderr.replace(/\u00a0/g, ' ')).toContain('Warning: 3.1 MB over the size budget of the project.');
});
