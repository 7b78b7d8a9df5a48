// The shell uploader against a server, in every installed shell, and its requests and messages against a fake one.
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { projectDir } from '../../scripts/lib/project.ts';
import { sourceInput } from '../../src/builds/source-schema.ts';
import { readUploader } from '../../src/cli/files.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { BUILD, CHANNEL, type FakeServer, PROJECT, sha256Of, startFakeServer, TOKEN } from '../commands/fake-server.ts';
import { openWorkshop } from '../commands/test-host.ts';
import { buildApk, sha256 } from '../support/fixtures.ts';
import { api } from '../support/harness.ts';
import { openRunner, type Runner, shells } from './shells.ts';

const CHANNEL_NAME = 'beta $(touch pwned) "q" `id`';
let fixture: Fixture;
let runner: Runner;
let script: string;
let channelId: string;

beforeAll(async () => {
  fixture = await startFixture();
  const response = await fetch(new URL('/cli/upload.sh', fixture.url));
  expect(response.headers.get('content-type')).toBe('text/x-shellscript; charset=utf-8');
  script = await response.text();
  const query = { organization_id: fixture.organization_id, project_id: fixture.android_project_id };
  const created = await api(fixture).post<{ identifier: string }>(
    '/api/v1/channels',
    { name: CHANNEL_NAME, public: true },
    query,
  );
  expect(created.status).toBe(201);
  channelId = created.body.identifier;
});
afterAll(() => fixture?.stop());
beforeEach(() => {
  runner = openRunner();
});
afterEach(() => runner[Symbol.dispose]());

const withToken = () => ({ TAXIWAY_URL: fixture.url, TAXIWAY_TOKEN: fixture.project_access_token });

describe('the shell uploader', () => {
  it.each(shells.map((shell, index) => [shell.join(' '), shell, index] as const))(
    'uploads and releases in %s, and finds the build when it is repeated',
    async (_name, shell, index) => {
      runner.recordCommandLines();
      const bytes = buildApk({ packageName: 'com.example.shell', versionCode: 100 + index });
      const name = `my app's "best" $HOME [1] {a,b}.apk`;
      writeFileSync(join(runner.folder, name), bytes);
      const notes = 'Say "hi" \\ back\nthen\tgo $(touch pwned)';
      const words = [
        ...shell,
        '-s',
        '--',
        name,
        '--channel',
        CHANNEL_NAME,
        '--notes',
        notes,
        '--outputs',
        'out',
        '--qr-image',
        'qr.png',
      ];
      const first = await runner.run(words, withToken(), script);
      expect(first, first.stderr).toMatchObject({ code: 0 });
      const found = /^build {5}(\S+)\nversion {3}1\.2\.3 \((\d+)\)\nsha256 {4}(\S+)\nrelease {3}(\S+)\n/.exec(
        first.stdout,
      );
      const [, build, number, sum, release] = found ?? [];
      expect([number, sum]).toEqual([String(100 + index), sha256(bytes)]);
      const stored = await api(fixture).get(`/api/v1/builds/${build}`);
      expect(stored.body).toMatchObject({ original_filename: name, release_notes: notes, inspection_status: 'ok' });
      const outputs = Object.fromEntries(
        readFileSync(join(runner.folder, 'out'), 'utf8')
          .trim()
          .split('\n')
          .map((line) => line.split('=')),
      );
      expect(outputs).toMatchObject({ build_id: build, release_id: release, qr_image: 'qr.png' });
      expect(first.stdout).toContain(`install   ${outputs.install_url}
qr        ${outputs.qr_url}
`);
      expect((await fetch(outputs.build_url ?? '', { headers: { accept: 'text/html' } })).status).toBeLessThan(500);
      // Later steps of the job may run as another user.
      for (const file of ['out', 'qr.png'])
        expect(statSync(join(runner.folder, file)).mode & 0o777).toBe(0o666 & ~process.umask());
      // Width and height of the image header.
      expect(readFileSync(join(runner.folder, 'qr.png')).toString('hex', 16, 24)).toBe('0000016800000168');

      const again = await runner.run(words, withToken(), script);
      expect(again, again.stderr).toMatchObject({ code: 0, stdout: first.stdout });
      expect(again.stderr).toContain(`is already on the server as build ${build}; not uploaded again.\n`);
      const labeled = await runner.run([...words, '--label', 'nightly'], withToken(), script);
      expect([labeled.code, labeled.stdout]).toEqual([0, first.stdout]);
      expect(labeled.stderr).toContain('; not uploaded again.\nIts labels stay as they are.\n');
      expect(runner.commandLines()).not.toContain(fixture.project_access_token);
      expect(runner.commandLines()).not.toContain('/storage/v1/');
      expect(existsSync(join(runner.folder, 'pwned'))).toBe(false);
    },
  );

  it('leaves out names that are not UTF-8, and reports notes that are not', async () => {
    writeFileSync(join(runner.folder, 'app.apk'), buildApk({ packageName: 'com.example.shell', versionCode: 700 }));
    writeFileSync(join(runner.folder, 'notes.txt'), Buffer.from('Caf\xe9', 'latin1'));
    const command = `CI_COMMIT_BRANCH=$(printf 'caf\\351') CI_COMMIT_AUTHOR=Zo\u00eb GITLAB_CI=true exec "$@"`;
    const words = ['sh', '-c', command, 'sh', 'sh', '-s', '--', 'app.apk'];
    const refused = await runner.run([...words, '--notes-file', 'notes.txt'], withToken(), script);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('The body is not valid UTF-8')]);
    const { code, stdout, stderr } = await runner.run(words, withToken(), script);
    expect(code, stderr).toBe(0);
    const [, build] = /^build {5}(\S+)/.exec(stdout) ?? [];
    const { body } = await api(fixture).get<{ source: object }>(`/api/v1/builds/${build}`);
    expect(body.source).toMatchObject({ branch: null, author: 'Zo\u00eb' });
  });

  it('does not release another app, unless it is told to', async () => {
    const files = { 'ours.apk': ['com.example.shell', 800], 'other.apk': ['com.example.other', 801] } as const;
    for (const [name, [packageName, versionCode]] of Object.entries(files)) {
      writeFileSync(join(runner.folder, name), buildApk({ packageName, versionCode }));
    }
    expect((await runner.run(['sh', '-s', '--', 'ours.apk'], withToken(), script)).code).toBe(0);
    const words = ['sh', '-s', '--', 'other.apk', '--channel', CHANNEL_NAME];
    const refused = await runner.run(words, withToken(), script);
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toMatch(
      /upload\.sh: the package is com\.example\.other, but the app of .+ is com\.example\.shell; build (\S+) was uploaded, but not released\. /,
    );
    const [, build] = /; build (\S+) was uploaded/.exec(refused.stderr) ?? [];
    const { organization_id, android_project_id: project_id } = fixture;
    const query = { organization_id, project_id, channel_id: channelId };
    const isReleased = async () =>
      JSON.stringify((await api(fixture).get('/api/v1/releases', query)).body).includes(build ?? '');
    expect(build).toBeDefined();
    expect(await isReleased()).toBe(false);
    const told = await runner.run([...words, '--allow-other-identifier'], withToken(), script);
    expect(told, told.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('\nrelease ') });
    expect(told.stderr).toContain('Warning: the package is com.example.other, but the app of ');
    expect(await isReleased()).toBe(true);
  });

  it('says that a newer release is live when an upload is repeated', async () => {
    for (const [name, versionCode] of [
      ['older.apk', 900],
      ['newer.apk', 901],
    ] as const)
      writeFileSync(join(runner.folder, name), buildApk({ packageName: 'com.example.shell', versionCode }));
    const release = (name: string) =>
      runner.run(['sh', '-s', '--', name, '--channel', CHANNEL_NAME, '--allow-other-identifier'], withToken(), script);
    const first = await release('older.apk');
    expect([first.code, first.stderr]).toEqual([0, expect.not.stringContaining('newer release')]);
    expect((await release('newer.apk')).code).toBe(0);
    const again = await release('older.apk');
    expect([again.code, again.stdout]).toEqual([0, first.stdout]);
    expect(again.stderr).toContain(
      `${CHANNEL_NAME} has a newer release. Release this build again on the page of the channel.\n`,
    );
  });

  it('does nothing if only a part of it arrived', async () => {
    const part = script.slice(0, script.lastIndexOf('main "$@"'));
    expect(await runner.run(['sh', '-s', '--', '--help'], {}, part)).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('has the options of the command, except for those that the documentation names', async () => {
    const optionsIn = (text: string) => new Set([...text.matchAll(/--[a-z][a-z-]+/g)].map(([option]) => option));
    using workshop = openWorkshop();
    const [, listed = ''] = /^Options:\n((?: .*\n)+)/m.exec((await workshop.run(['upload', '--help'])).stdout) ?? [];
    const command = new Set(listed.split('\n').flatMap((line) => /^ {2}(?:-h, )?(--[a-z-]+)/.exec(line)?.[1] ?? []));
    const { stdout } = await runner.run(['sh', '-s', '--', '--help'], {}, script);
    const page = readFileSync(join(projectDir, 'docs/ci.md'), 'utf8');
    const [, exceptions = ''] = /which are those of `taxiway upload` except for ([^.]+)\./.exec(page) ?? [];
    const own = optionsIn(stdout);
    expect([...command].filter((option) => option !== '--help' && !own.has(option))).toEqual([
      ...optionsIn(exceptions),
    ]);
    expect([...own].filter((option) => !command.has(option))).toEqual([]);
  });

  it('contains the address of the server, and nothing that a shell would run', () => {
    const config = {
      ...fixture.config,
      server: { ...fixture.config.server, base_url: "https://example.com/a'b$(id)" },
    };
    const text = readUploader({ config }).bytes.toString();
    expect(text).toContain("TAXIWAY_URL:-'https://example.com/a%27b$(id)'}");
    expect(text).not.toMatch(/\{\{|\beval\b/);
  });
});

describe('against a fake server', () => {
  let fake: FakeServer;
  const bytes = buildApk();
  beforeEach(async () => {
    fake = await startFakeServer();
    writeFileSync(join(runner.folder, 'app.apk'), bytes);
  });
  afterEach(() => fake[Symbol.asyncDispose]());

  const upload = (...words: string[]) =>
    runner.run(
      ['sh', '-s', '--', 'app.apk', '--project', PROJECT, ...words],
      { TAXIWAY_URL: `${fake.url}/`, TAXIWAY_TOKEN: TOKEN },
      script,
    );

  it('sends what initiate needs, the bytes to the signed address without the token, and their SHA-256', async () => {
    runner.recordCommandLines();
    // The fake's ids aren't those of a server.
    fake.failNext('POST /builds/initiate', {
      status: 201,
      body: {
        pending_upload_id: BUILD,
        upload_url: `${fake.url}/storage/v1/pending-1?sig=a%2Bb`,
        required_headers: { 'x-ms-blob-type': 'BlockBlob' },
      },
    });
    await upload();
    expect(fake.seen.find(({ route }) => route === 'POST /builds/initiate')?.body).toEqual({
      original_filename: 'app.apk',
      identity_from_package: true,
      size_bytes: bytes.length,
    });
    expect(fake.stored[0]?.equals(bytes)).toBe(true);
    expect(fake.putHeaders[0]).toMatchObject({ 'x-ms-blob-type': 'BlockBlob', 'content-length': String(bytes.length) });
    expect(fake.putHeaders[0]).not.toHaveProperty('authorization');
    expect(fake.seen.at(-1)).toMatchObject({
      route: `POST /builds/${BUILD}/complete`,
      body: { sha256: sha256Of(bytes) },
    });
    expect(runner.commandLines()).not.toContain('sig=');
  });

  describe('sends where the build comes from', () => {
    const sha = '0123456789abcdef0123456789abcdef01234567';
    const sent = async (env: Record<string, string>, ...words: string[]) => {
      const all = { TAXIWAY_URL: `${fake.url}/`, TAXIWAY_TOKEN: TOKEN, ...env };
      await runner.run(['sh', '-s', '--', 'app.apk', '--project', PROJECT, ...words], all, script);
      return fake.seen.findLast(({ route }) => route === 'POST /builds/initiate')?.body as Record<string, unknown>;
    };

    it('from the variables of GitHub Actions, with the commit of the pull request', async () => {
      const event = { pull_request: { number: 7, head: { sha } } };
      writeFileSync(join(runner.folder, 'event.json'), JSON.stringify(event));
      const body = await sent({
        GITHUB_ACTIONS: 'true',
        GITHUB_REPOSITORY: 'harbor/app',
        GITHUB_SERVER_URL: 'https://git.example.com',
        GITHUB_SHA: 'f'.repeat(40),
        GITHUB_HEAD_REF: 'say "hi" \\ é',
        GITHUB_REF_TYPE: 'branch',
        GITHUB_REF_NAME: '7/merge',
        GITHUB_RUN_ID: '42',
        GITHUB_ACTOR: 'octocat',
        GITHUB_EVENT_PATH: join(runner.folder, 'event.json'),
      });
      expect(body.source).toEqual({
        commit: sha,
        branch: 'say "hi" \\ é',
        pull_request: 7,
        repository_url: 'https://git.example.com/harbor/app',
        run_url: 'https://git.example.com/harbor/app/actions/runs/42',
        author: 'octocat',
      });
    });

    it('from other systems, without credentials and without what the server would reject', async () => {
      const gitLab = {
        GITLAB_CI: 'true',
        CI_COMMIT_SHA: sha,
        CI_COMMIT_BRANCH: 'b'.repeat(300),
        CI_MERGE_REQUEST_IID: '0',
        CI_PROJECT_URL: 'https://user:secret@gitlab.example.com/a/b.git',
        CI_PIPELINE_URL: 'javascript:alert(1)',
        CI_COMMIT_AUTHOR: 'Ada Example <ada@example.com>',
      };
      expect((await sent(gitLab)).source).toEqual({
        commit: sha,
        repository_url: 'https://gitlab.example.com/a/b',
        author: 'Ada Example',
      });
      const jenkins = {
        JENKINS_URL: 'x',
        GIT_COMMIT: sha,
        GIT_BRANCH: 'origin/main',
        GIT_URL: 'git@git.example.com:a/b.git',
      };
      expect((await sent(jenkins)).source).toEqual({
        commit: sha,
        branch: 'main',
        repository_url: 'https://git.example.com/a/b',
      });
    });

    it('without the names that are not UTF-8', async () => {
      const names = [
        'caf\\351',
        'ok \\303\\251\\360\\237\\230\\200',
        '\\303',
        '\\355\\240\\200',
        '\\300\\200',
        '\\360\\200\\200\\200',
        '\\364\\220\\200\\200',
      ];
      const found: unknown[] = [];
      // Three in each run.
      while (names.length > 0) {
        fake.seen.length = 0;
        const [branch, tag, author] = names.splice(0, 3);
        // Variables of tests can only be text.
        const variables = [
          `CI_COMMIT_BRANCH="$(printf '${branch}')"`,
          ...(tag === undefined ? [] : [`CI_COMMIT_TAG="$(printf '${tag}')"`]),
          ...(author === undefined ? [] : [`CI_COMMIT_AUTHOR="$(printf '${author}')"`]),
        ];
        const command = `export ${variables.join(' ')}; exec sh -s -- app.apk --project ${PROJECT}`;
        const env = { TAXIWAY_URL: fake.url, TAXIWAY_TOKEN: TOKEN, GITLAB_CI: 'true', CI_COMMIT_SHA: sha };
        await runner.run(['sh', '-c', command], env, script);
        const initiated = fake.seen.findLast(({ route }) => route === 'POST /builds/initiate');
        expect(initiated?.body).toMatchObject({ source: { commit: sha } });
        const source = initiated?.body.source as Record<string, string>;
        found.push(...[source.branch, source.tag, source.author].slice(0, variables.length));
      }
      expect(found).toEqual([undefined, 'ok é😀', undefined, undefined, undefined, undefined, undefined]);
    });

    it.each(shells.map((shell) => [shell.join(' '), shell] as const))(
      'without odd names that the server would reject, in %s',
      async (_name, shell) => {
        const env = {
          TAXIWAY_URL: `${fake.url}/`,
          TAXIWAY_TOKEN: TOKEN,
          GITLAB_CI: 'true',
          CI_COMMIT_SHA: sha,
          CI_COMMIT_TAG: 'v1\u2069',
          CI_PROJECT_URL: 'https://git.example.com/a b',
          CI_PIPELINE_URL: 'https://git.example.com/a\\b',
          CI_COMMIT_AUTHOR: 'Zo\u00eb \u202e\u061c',
        };
        // Latin-1, as it comes from older repositories.
        const command = `CI_COMMIT_BRANCH=$(printf 'caf\\351') exec "$@"`;
        const words = ['-s', '--', 'app.apk', '--project', PROJECT];
        await runner.run(['sh', '-c', command, 'sh', ...shell, ...words], env, script);
        const body = fake.seen.findLast(({ route }) => route === 'POST /builds/initiate')?.body;
        expect(body?.source).toEqual({ commit: sha });
        expect(sourceInput.parse(body?.source)).toEqual(body?.source);

        // Other odd characters, and letters that have a byte in common with them.
        const author = 'a\u00a0b \u00ab \u2013';
        const more = { CI_COMMIT_BRANCH: 'a\u2028b', CI_COMMIT_TAG: 'a\u0085b', CI_COMMIT_AUTHOR: author };
        const others = { ...env, ...more, CI_PROJECT_URL: '', CI_PIPELINE_URL: '' };
        await runner.run([...shell, '-s', '--', 'app.apk', '--project', PROJECT], others, script);
        const next = fake.seen.findLast(({ route }) => route === 'POST /builds/initiate')?.body;
        expect(next?.source).toEqual({ commit: sha, author });
      },
    );

    it('from options before all others, with labels, and not at all with --no-source', async () => {
      const env = { GITHUB_ACTIONS: 'true', GITHUB_SHA: sha, GITHUB_REPOSITORY: 'a/b' };
      const stated = [
        '--commit',
        'abcdef0',
        '--pull-request',
        '9',
        '--author',
        'Zoe\tX',
        '--label',
        'a "b"',
        '--label',
        'c',
      ];
      const body = await sent(env, '--no-source', ...stated);
      expect(body.labels).toEqual(['a "b"', 'c']);
      expect(body.source).toMatchObject({ commit: 'abcdef0', pull_request: 9 });
      expect(Object.keys(body.source as object).sort()).toEqual(['author', 'commit', 'pull_request']);
      expect(await sent(env, '--no-source')).not.toHaveProperty('source');
      expect((await upload('--pull-request', 'x')).code).toBe(2);
    });

    it('reads notes from a file only with --notes-file', async () => {
      writeFileSync(join(runner.folder, 'notes.md'), '# New\n');
      expect((await sent({}, '--notes-file', 'notes.md')).release_notes).toBe('# New');
      expect((await sent({}, '--notes', '@notes.md')).release_notes).toBe('@notes.md');
      expect((await upload('--notes', 'a', '--notes-file', 'notes.md')).code).toBe(2);
    });
  });

  it('tries again after temporary problems, and fails after five attempts', async () => {
    fake.failNext(`GET /projects/${PROJECT}`, { status: 503 }, 'break', { status: 429 });
    fake.failNext('GET /channels', ...Array.from({ length: 5 }, () => ({ status: 503, body: { message: 'Full' } })));
    const { code, stderr } = await upload('--channel', CHANNEL);
    expect(code).toBe(1);
    expect(stderr).toContain('the server returned 503; trying again in 1 s (2 of 5)\n');
    expect(stderr).toContain(`the connection to ${fake.url} was lost; trying again in 2 s (3 of 5)\n`);
    expect(stderr).toContain('upload.sh: the channels of the project: Full (503)\n');
    expect(fake.routes().filter((route) => route === 'GET /channels')).toHaveLength(5);
  });

  it('waits for as long as the server asks, up to five minutes', async () => {
    const refuse = (value: string) => ({ status: 503, headers: { 'retry-after': value } });
    fake.failNext(
      `GET /projects/${PROJECT}`,
      refuse('30'),
      refuse('0'),
      refuse('9000'),
      refuse('Sat, 28 Nov 2026 21:00:00 GMT'),
    );
    const { stderr } = await upload();
    const pauses = [...stderr.matchAll(/^the server returned 503; trying again in (\d+) s/gm)].map(
      ([, seconds]) => seconds,
    );
    expect(pauses).toEqual(['30', '2', '300', '8']);
  });

  it("doesn't release a build again that the server has had for long", async () => {
    const pending = '01900000-0000-7000-8000-0000000000aa';
    const body = { pending_upload_id: pending, upload_url: `${fake.url}/storage/v1/pending-1`, required_headers: {} };
    fake.failNext('POST /builds/initiate', { status: 201, body });
    const build = {
      identifier: BUILD,
      version_name: '1.0',
      display_build_number: '7',
      uploaded_at: '2026-01-31T12:00:00.000Z',
      inspection_status: 'ok',
    };
    const answer = { ...build, sha256: sha256Of(bytes), size_bytes: bytes.length, released_to: [] };
    fake.failNext(`POST /builds/${pending}/complete`, { status: 201, body: answer });
    const release = (id: number, of: object, state = 'active') => ({
      identifier: `01900000-0000-7000-8000-0000000001${String(id).padStart(2, '0')}`,
      created_at: `2026-02-${String(id).padStart(2, '0')}T12:00:00.000Z`,
      state,
      is_current: id === 20,
      build: of,
    });
    // An older build was released again since.
    const other = { identifier: PROJECT, uploaded_at: '2026-01-01T12:00:00.000Z' };
    fake.failNext(
      'GET /releases',
      {
        status: 200,
        body: { items: [release(20, other), release(19, build, 'rolled_back')], next_cursor: 'cGFnZSAy' },
      },
      { status: 200, body: { items: [release(18, other), release(17, build), release(16, build)], next_cursor: null } },
    );
    const { code, stdout, stderr } = await upload('--channel', CHANNEL);
    expect(code, stderr).toBe(0);
    expect(stdout).toContain('\nrelease   01900000-0000-7000-8000-000000000117\n');
    expect(stderr).toContain('beta has a newer release. Release this build again on the page of the channel.\n');
    expect(fake.seen.filter(({ route }) => route === 'GET /releases').map(({ query }) => query.cursor)).toEqual([
      undefined,
      'cGFnZSAy',
    ]);
    expect(fake.routes()).not.toContain('POST /releases');
  });

  it('reads responses with long and odd texts', async () => {
    // Longer than the parts that the script reads, with an escape at every place of them.
    const texts = Array.from({ length: 40 }, (_, index) => `${'x'.repeat(490 + index)}"\\\u20ac\n${'y'.repeat(index)}`);
    const items = texts.map((name, index) => ({
      identifier: index === 39 ? CHANNEL : PROJECT,
      name: index === 39 ? 'long' : name,
      more: { deep: [1, -2.5e3, true, null, { x: name }] },
    }));
    fake.failNext('GET /channels', { status: 200, body: { items, next_cursor: null } });
    fake.failNext('POST /builds/initiate', { status: 403, body: { error: 'no', message: texts[30] } });
    const { stderr } = await upload('--channel', 'long');
    expect(stderr).toContain(`: ${'x'.repeat(520)}"\\€?${'y'.repeat(30)} (403 no)\n`);
  });

  it('waits for as long as the storage asks', async () => {
    const body = { pending_upload_id: BUILD, upload_url: `${fake.url}/storage/v1/pending-1`, required_headers: {} };
    fake.failNext('POST /builds/initiate', { status: 201, body });
    fake.failNext('PUT /storage/v1/pending-1', { status: 503, headers: { 'Retry-After': '20' } });
    expect((await upload()).stderr).toContain('storage returned 503; trying again in 20 s (2 of 5)\n');
    expect(fake.stored).toHaveLength(1);
  });

  it.each<[string, number, object | string, string]>([
    [
      'a rejected token',
      401,
      { error: 'unauthorized', message: 'Sign in first' },
      'Sign in first; set TAXIWAY_TOKEN to a valid token (401)',
    ],
    ['a refusal', 403, { error: 'forbidden', message: 'Not\u001b[2J you' }, 'Not?[2J you (403 forbidden)'],
    [
      'a refusal of a proxy',
      403,
      '<html>',
      'project 01900000-0000-7000-8000-000000000002: the server rejected the request (403)\n',
    ],
    ['a refusal without a code', 400, { message: 'No' }, ': No (400)\n'],
    ['a redirect', 302, {}, 'the server redirects; set TAXIWAY_URL to its new address (302)'],
    ['another kind of server', 200, { name: 'Hello' }, 'returned an unexpected response. Is it a Taxiway server?'],
  ])('ends with 1 and the reason for %s', async (_name, status, body, message) => {
    fake.failNext(`GET /projects/${PROJECT}`, { status, body });
    const { code, stdout, stderr } = await upload();
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(message);
  });

  it.each([
    [404, '<html>'],
    [405, ''],
  ])('asks for the address of the server after %d without a code', async (status, body) => {
    fake.failNext(`GET /projects/${PROJECT}`, { status, body });
    expect(await upload()).toEqual({
      code: 1,
      stdout: '',
      stderr: `upload.sh: no Taxiway server responds at ${fake.url}; check TAXIWAY_URL (${status})\n`,
    });
  });

  it('asks for the address of the server if it has another path', async () => {
    const body = { error: 'not_found', message: 'Not found', details: {} };
    fake.failNext('GET /organizations', { status: 404, body });
    const env = { TAXIWAY_URL: fake.url, TAXIWAY_TOKEN: TOKEN };
    const { code, stderr } = await runner.run(['sh', '-s', '--', 'app.apk'], env, script);
    expect([code, stderr]).toEqual([
      1,
      `upload.sh: no Taxiway server responds at ${fake.url}; check TAXIWAY_URL (404)\n`,
    ]);
  });

  it.each([
    ['slashes', (url: string) => `${url}//`],
    ['space', (url: string) => ` ${url}/\r\n`],
  ])('accepts an address and a token with %s at their ends', async (_, change) => {
    fake.failNext(`GET /projects/${PROJECT}`, { status: 403, body: { error: 'permission_denied', message: 'No' } });
    const env = { TAXIWAY_URL: change(fake.url), TAXIWAY_TOKEN: change(TOKEN).replaceAll('/', '') };
    const { stderr } = await runner.run(['sh', '-s', '--', 'app.apk', '--project', PROJECT], env, script);
    expect(stderr).toBe(`upload.sh: project ${PROJECT}: No (403 permission_denied)\n`);
    expect(fake.seen.map(({ authorization }) => authorization)).toEqual([`Bearer ${TOKEN}`]);
  });

  it.each(['http://127.0.0.1:99999', 'http://a b', 'http:///'])(
    'rejects the address %s without retries',
    async (url) => {
      const env = { TAXIWAY_URL: url, TAXIWAY_TOKEN: TOKEN };
      const { code, stderr } = await runner.run(['sh', '-s', '--', 'app.apk'], env, script);
      expect(code).toBe(2);
      expect(stderr).toContain(
        'upload.sh: TAXIWAY_URL must be the address of a server, such as https://builds.example.com\n',
      );
      expect(stderr).not.toContain('trying again');
    },
  );

  it('suggests http if the server has no TLS, and does not retry', async () => {
    const https = fake.url.replace('http:', 'https:');
    const env = { TAXIWAY_URL: https, TAXIWAY_TOKEN: TOKEN };
    const { code, stderr } = await runner.run(['sh', '-s', '--', 'app.apk'], env, script);
    expect(code).toBe(1);
    expect(stderr.split('\n').slice(-2)).toEqual([
      `upload.sh: ${https} doesn't respond with TLS; if it doesn't use https, set TAXIWAY_URL to ${fake.url}`,
      '',
    ]);
    expect(stderr).not.toContain('trying again');
  });

  it('suggests https at the end if a server without it closes the connection', async () => {
    fake.failNext(`GET /projects/${PROJECT}`, 'break', 'break', 'break', 'break', 'break');
    const { code, stderr } = await upload();
    expect(code).toBe(1);
    const https = fake.url.replace('http:', 'https:');
    expect(stderr.split('\n').slice(-2)).toEqual([
      `upload.sh: the connection to ${fake.url} was lost; if it uses https, set TAXIWAY_URL to ${https}`,
      '',
    ]);
    expect(stderr.split('if it uses https')).toHaveLength(2);
  });

  it('refuses an upload address that could be an option of curl', async () => {
    const body = { pending_upload_id: BUILD, upload_url: `${fake.url}/x"\noutput = "pwned`, required_headers: {} };
    fake.failNext('POST /builds/initiate', { status: 201, body });
    const { code, stderr } = await upload();
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('the server returned an upload URL that cannot be used'),
    ]);
    expect(fake.stored).toEqual([]);
  });

  it.each<[string, string[], Record<string, string>, number, string]>([
    ['no file', [], {}, 2, 'usage: upload.sh FILE'],
    ['an unknown option', ['app.apk', '--chanel', 'x'], {}, 2, 'unknown option --chanel'],
    ['an option without its value', ['app.apk', '--channel'], {}, 2, '--channel needs a value'],
    ['an empty channel', ['app.apk', '--channel', ''], {}, 2, '--channel is empty'],
    ['a text instead of a number', ['app.apk', '--build-number', '1x'], {}, 2, '--build-number must be a whole number'],
    ['a missing file', ['none.apk'], {}, 1, 'file none.apk not found'],
    ['another kind of file', ['dir/notes.txt'], {}, 2, 'dir/notes.txt is neither an .apk nor an .ipa'],
    ['an empty token', ['app.apk'], { TAXIWAY_TOKEN: '' }, 1, 'TAXIWAY_TOKEN is empty or not set'],
    [
      'a token with a line break',
      ['app.apk'],
      { TAXIWAY_TOKEN: 'a\nurl = "x"' },
      1,
      'TAXIWAY_TOKEN contains characters that no token has',
    ],
    [
      'another scheme',
      ['app.apk'],
      { TAXIWAY_URL: 'ftp://example.com' },
      2,
      'TAXIWAY_URL must be the address of a server',
    ],
  ])('rejects %s before sending anything', async (_name, words, env, code, message) => {
    mkdirSync(join(runner.folder, 'dir'));
    writeFileSync(join(runner.folder, 'dir/notes.txt'), 'x');
    const finished = await runner.run(
      ['sh', '-s', '--', ...words],
      { TAXIWAY_URL: fake.url, TAXIWAY_TOKEN: TOKEN, ...env },
      script,
    );
    expect(finished.code).toBe(code);
    expect(finished.stderr).toContain(message);
    expect(fake.seen).toEqual([]);
  });
});
