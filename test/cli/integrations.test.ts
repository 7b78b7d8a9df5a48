// Each script of integrations/ with the variables and files that its runner sets.
import { once } from 'node:events';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { projectDir } from '../../scripts/lib/project.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { buildApk, buildIpa } from '../support/fixtures.ts';
import { api } from '../support/harness.ts';
import { isInstalled, openRunner, type Runner } from './shells.ts';

const folderOf = (name: string) => join(projectDir, 'integrations', name);
const textOf = (name: string) => readFileSync(folderOf(name), 'utf8');
/** Nothing listens there. */
const NO_SERVER = 'http://127.0.0.1:9';
/** Redirects each request without a body, as proxies with https do. */
const redirecting = createServer((_request, response) => {
  response.writeHead(308, { location: 'https://builds.example.com/', 'content-length': 0 }).end();
});
const NAMES = ['build_id', 'build_url', 'install_url', 'qr_url', 'release_id', 'qr_image'];

let fixture: Fixture;
let iosToken: string;
let runner: Runner;
let apk = 0;

beforeAll(async () => {
  fixture = await startFixture();
  await once(redirecting.listen(0, '127.0.0.1'), 'listening');
  const { organization_id, ios_project_id: project_id } = fixture;
  const query = { organization_id, project_id };
  const admin = api(fixture);
  expect((await admin.post('/api/v1/channels', { name: 'beta' }, query)).status).toBe(201);
  const android = { organization_id, project_id: fixture.android_project_id };
  expect((await admin.post('/api/v1/channels', { name: 'QA team' }, android)).status).toBe(201);
  const token = await admin.post<{ token: string }>(
    '/api/v1/project-access-tokens',
    { name: 'ci', role: 'maintainer' },
    query,
  );
  iosToken = token.body.token;
});
afterAll(() => {
  redirecting.close();
  return fixture?.stop();
});
beforeEach(() => {
  runner = openRunner();
  runner.recordCommandLines();
  // Instead of pauses of 7 s in all.
  writeFileSync(join(runner.folder, '.curlrc'), 'retry-max-time = 1\n');
  apk += 1;
  writeFileSync(join(runner.folder, 'my app.apk'), buildApk({ packageName: 'com.example.ci', versionCode: apk }));
});
afterEach(() => runner[Symbol.dispose]());

const redirectingUrl = () => `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}`;
const readFile = (name: string) => readFileSync(join(runner.folder, name), 'utf8');

const NOTES = '- **Quoted** "$HOME" `ls`\n- @second line';
/** Writes a file of notes. Their text would be changed by a shell that didn't quote it. */
function writeNotes(name = 'what is new.md'): string {
  writeFileSync(join(runner.folder, name), `${NOTES}\n`);
  return name;
}

/** Parses NAME=value lines, as the runners do. */
function readLines(text: string): Record<string, string> {
  return Object.fromEntries(
    text
      .trimEnd()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}

/** Asserts that the results name a build of the server, released or not, and an image of its QR code. */
async function expectResults(
  results: Record<string, string | undefined>,
  isReleased: boolean,
  notes?: string,
): Promise<void> {
  const build = await api(fixture).get(`/api/v1/builds/${results.build_id}`);
  expect(build.status, build.text).toBe(200);
  expect(results.build_url).toBe(`${fixture.url}/projects/${build.body.project_id}/builds/${results.build_id}`);
  expect(results.install_url).toMatch(isReleased ? /\/install\/channels\/[\w-]{36}$/ : /\/install\/builds\/[\w-]{36}$/);
  if (notes !== undefined) {
    expect(build.body.release_notes).toBe(notes);
    const release = await api(fixture).get(`/api/v1/releases/${results.release_id}`);
    expect(release.body.release_notes).toBe(notes);
  }
  expect(results.release_id).toMatch(isReleased ? /^[\w-]{36}$/ : /^$/);
  const image = readFileSync(
    results.qr_image?.startsWith('/') === true ? results.qr_image : join(runner.folder, results.qr_image ?? ''),
  );
  expect(image.toString('latin1', 1, 4)).toBe('PNG');
  expect(runner.commandLines()).not.toContain(fixture.project_access_token);
}

describe('the GitHub Action', () => {
  const action = parse(textOf('github/action.yml'));
  const [step] = action.runs.steps;

  /** Runs the step as the runner does: with the inputs in its variables, and files for outputs and summary. */
  function run(inputs: Record<string, string>) {
    const defaults = Object.entries<{ default?: string }>(action.inputs).map(([name, input]) => [
      name,
      input.default ?? '',
    ]);
    const given: Record<string, string> = { ...Object.fromEntries(defaults), ...inputs };
    const env = Object.entries<string>(step.env).map(([name, value]) => {
      const [, input = ''] = /^\$\{\{ inputs\.(\w+) \}\}$/.exec(value) ?? [];
      expect(given, value).toHaveProperty(input);
      return [name, given[input] ?? ''];
    });
    for (const name of ['output', 'summary']) writeFileSync(join(runner.folder, name), '');
    return runner.run(['bash', '--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run], {
      ...Object.fromEntries(env),
      GITHUB_ACTION_PATH: folderOf('github'),
      GITHUB_OUTPUT: join(runner.folder, 'output'),
      GITHUB_STEP_SUMMARY: join(runner.folder, 'summary'),
      RUNNER_TEMP: runner.folder,
    });
  }

  it('is a composite action whose outputs are those of its step', () => {
    expect(action).toMatchObject({
      name: expect.any(String),
      description: expect.any(String),
      runs: { using: 'composite' },
    });
    expect(step).toMatchObject({ id: 'upload', shell: 'bash' });
    const outputs = Object.entries<{ value: string }>(action.outputs).map(([name, { value }]) => [name, value]);
    expect(Object.fromEntries(outputs)).toEqual(
      Object.fromEntries(NAMES.map((name) => [name, `\${{ steps.upload.outputs.${name} }}`])),
    );
  });

  it('waits for a server that is being restarted, and follows no redirect, as every script does', () => {
    const scripts = ['github/upload.sh', 'gitlab/templates/upload.yml', 'bitrise/step.sh', 'gradle/taxiway.gradle'];
    for (const name of [...scripts, 'xcode-cloud/ci_post_xcodebuild.sh', 'fastlane/actions/taxiway_upload.rb']) {
      expect(textOf(name).replaceAll("', '", ' '), name).toMatch(
        /curl -fsSL --max-redirs 0 --retry \d+ --retry-connrefused /,
      );
    }
  });

  it('uploads, releases, and writes outputs and a summary', async () => {
    const inputs = {
      server: `${fixture.url}/`,
      token: fixture.project_access_token,
      file: 'my app.apk',
      channel: 'QA team',
      notes: 'a "b" $c',
    };
    const { code, stderr } = await run(inputs);
    expect(code, stderr).toBe(0);
    const results = readLines(readFile('output'));
    expect(Object.keys(results)).toEqual(NAMES);
    await expectResults(results, true);
    expect(readFile('summary')).toBe(
      `### Uploaded to Taxiway\n\n[Install](${results.install_url}) · [Build](${results.build_url})\n`,
    );
  });

  it('reads the notes from a file, and fails without it', async () => {
    const inputs = { server: fixture.url, token: fixture.project_access_token, file: 'my app.apk', channel: 'QA team' };
    const missing = await run({ ...inputs, notes_file: 'missing.md' });
    expect([missing.code, readFile('output')]).toEqual([1, '']);
    expect(missing.stderr).toContain('cannot read missing.md');
    const { code, stderr } = await run({ ...inputs, notes_file: writeNotes() });
    expect(code, stderr).toBe(0);
    await expectResults(readLines(readFile('output')), true, NOTES);
  });

  it("fails if the server can't be reached", async () => {
    expect((await run({ server: NO_SERVER, token: 'any', file: 'my app.apk' })).code).not.toBe(0);
  });

  it('fails and writes nothing if the upload fails', async () => {
    const { code, stderr } = await run({ server: fixture.url, token: 'wrong', file: 'my app.apk' });
    expect(code).toBe(1);
    expect(stderr).toContain('set TAXIWAY_TOKEN to a valid token');
    expect(readFile('output') + readFile('summary')).toBe('');
  });
});

describe('the GitLab component', () => {
  const [header, body] = textOf('gitlab/templates/upload.yml').split('\n---\n');

  /** Inserts the inputs and runs the script as one shell, as the runner does. */
  function run(inputs: Record<string, string>) {
    const { spec } = parse(header ?? '');
    const text = (body ?? '').replace(/\$\[\[ inputs\.(\w+) \]\]/g, (_, name: string) => {
      const value = inputs[name] ?? spec.inputs[name]?.default;
      if (typeof value !== 'string') throw new Error(`the input ${name} has no value`);
      return JSON.stringify(value).slice(1, -1) === value && /^[\w./: -]+$/.test(value) ? value : JSON.stringify(value);
    });
    const job = parse(text)['taxiway-upload'];
    expect(job).toMatchObject({
      stage: 'deploy',
      image: expect.stringMatching(/^curlimages\/curl:\d/),
      artifacts: { reports: { dotenv: 'taxiway.env' } },
    });
    const env = { ...job.variables, TAXIWAY_TOKEN: fixture.project_access_token, CI: 'true', GITLAB_CI: 'true' };
    return runner.run(['sh', '-c', `set -e\n${job.script.join('\n')}`], env);
  }

  it('has a header with its inputs and one job', () => {
    expect(parseAllDocuments(textOf('gitlab/templates/upload.yml'))).toHaveLength(2);
  });

  it.each([
    ['releases to a channel', { channel: 'QA team', notes: '', notes_file: 'what is new.md' }, true],
    ['only uploads', {}, false],
  ])('%s, and leaves variables and the QR code for later jobs', async (_name, inputs, isReleased) => {
    writeNotes();
    const { code, stderr } = await run({ server: fixture.url, file: 'my app.apk', ...inputs });
    expect(code, stderr).toBe(0);
    const results = readLines(readFile('taxiway.env'));
    expect(Object.keys(results)).toEqual(NAMES.map((name) => `TAXIWAY_${name.toUpperCase()}`));
    await expectResults(
      Object.fromEntries(NAMES.map((name) => [name, results[`TAXIWAY_${name.toUpperCase()}`]])),
      isReleased,
      isReleased ? NOTES : undefined,
    );
  });
});

describe('the Bitrise step', () => {
  it('has the inputs and outputs of its script', () => {
    const step = parse(textOf('bitrise/step.yml'));
    expect(step).toMatchObject({
      title: expect.any(String),
      summary: expect.any(String),
      toolkit: { bash: { entry_file: 'step.sh' } },
    });
    const namesOf = (list: Record<string, unknown>[]) =>
      list.map((entry) => Object.keys(entry).find((key) => key !== 'opts'));
    expect(namesOf(step.inputs)).toEqual(['server', 'token', 'file', 'channel', 'notes', 'notes_file']);
    expect(namesOf(step.outputs).sort()).toEqual(NAMES.map((name) => `TAXIWAY_${name.toUpperCase()}`).sort());
    expect(step.inputs[1].opts.is_sensitive).toBe(true);
  });

  it('uploads and passes the results to envman', async () => {
    const bin = join(runner.folder, '.bin');
    const envman = join(bin, 'envman');
    writeFileSync(
      envman,
      `#!/bin/sh\n[ "$1 $2 $4" = "add --key --value" ] && printf '%s=%s\\n' "$3" "$5" >>'${runner.folder}/envman'\n`,
    );
    chmodSync(envman, 0o755);
    mkdirSync(join(runner.folder, 'deploy'));
    const env = {
      server: fixture.url,
      token: fixture.project_access_token,
      file: 'my app.apk',
      channel: 'QA team',
      notes: '',
      notes_file: writeNotes(),
    };
    const { code, stderr } = await runner.run(['bash', join(folderOf('bitrise'), 'step.sh')], {
      ...env,
      BITRISE_DEPLOY_DIR: join(runner.folder, 'deploy'),
    });
    expect(code, stderr).toBe(0);
    const results = readLines(readFile('envman'));
    expect(results.TAXIWAY_QR_IMAGE).toBe(join(runner.folder, 'deploy/taxiway-qr.png'));
    await expectResults(
      Object.fromEntries(NAMES.map((name) => [name, results[`TAXIWAY_${name.toUpperCase()}`]])),
      true,
      NOTES,
    );
  });
});

describe.skipIf(!isInstalled('ruby'))('the fastlane action', () => {
  // Doubles of the classes that fastlane gives its actions.
  const double = `
require 'json'
module FastlaneCore
  class ConfigItem
    attr_reader :key, :env_name, :optional
    def initialize(key:, env_name:, description:, sensitive: false, default_value: nil, default_value_dynamic: false, optional: false)
      @key, @env_name, @default, @optional = key, env_name, default_value, optional
    end
    def value = ENV[@env_name] || @default
  end
end
module Fastlane
  module UI
    def self.message(text) = warn(text)
    def self.user_error!(text) = abort(text)
  end
  class Action
    CONTEXT = {}
    def self.lane_context = CONTEXT
  end
  module Actions
    Action = Fastlane::Action
  end
end
Fastlane::Action.lane_context[:IPA_OUTPUT_PATH] = ARGV[1]
require ARGV[0]
action = Fastlane::Actions::TaxiwayUploadAction
params = action.available_options.to_h { |item| [item.key, item.value] }
missing = action.available_options.reject(&:optional).select { |item| item.value.nil? }
abort("missing: #{missing.map(&:key)}") unless missing.empty?
returned = action.run(params)
puts JSON.generate(returned: returned, context: Fastlane::Action.lane_context, outputs: action.output.map(&:first))
`;
  const run = (token: string) => {
    writeFileSync(join(runner.folder, 'run.rb'), double);
    writeFileSync(join(runner.folder, 'app.ipa'), buildIpa());
    const env = {
      TAXIWAY_URL: fixture.url,
      TAXIWAY_TOKEN: token,
      TAXIWAY_CHANNEL: 'beta',
      TAXIWAY_NOTES_FILE: writeNotes(),
    };
    return runner.run(['ruby', 'run.rb', join(folderOf('fastlane'), 'actions/taxiway_upload.rb'), 'app.ipa'], env);
  };

  it('uploads the .ipa of the lane and sets the lane context', async () => {
    const { code, stdout, stderr } = await run(iosToken);
    expect(code, stderr).toBe(0);
    const { returned, context, outputs } = JSON.parse(stdout);
    expect(outputs.sort()).toEqual(NAMES.map((name) => `TAXIWAY_${name.toUpperCase()}`).sort());
    expect(returned).toBe(context.TAXIWAY_INSTALL_URL);
    await expectResults(
      Object.fromEntries(NAMES.map((name) => [name, context[`TAXIWAY_${name.toUpperCase()}`]])),
      true,
      NOTES,
    );
    expect(stderr + runner.commandLines()).not.toContain(iosToken);
  });

  it('ends the lane if the upload fails', async () => {
    const { code, stderr } = await run('wrong');
    expect(code).toBe(1);
    expect(stderr).toContain('set TAXIWAY_TOKEN to a valid token');
    expect(stderr).toContain('The upload to Taxiway failed');
  });
});

describe('the Gradle script', () => {
  const run = (env: Record<string, string>) => {
    const [, script = ''] = /commandLine 'sh', '-c', '''([\s\S]*?)'''/.exec(textOf('gradle/taxiway.gradle')) ?? [];
    // Groovy would replace both in this kind of text.
    expect(script).not.toMatch(/\\|'''/);
    return runner.run(['sh', '-c', script], {
      TAXIWAY_URL: fixture.url,
      TAXIWAY_TOKEN: fixture.project_access_token,
      TAXIWAY_FILE: 'my app.apk',
      TAXIWAY_CHANNEL: 'QA team',
      TAXIWAY_NOTES: '',
      TAXIWAY_NOTES_FILE: writeNotes(),
      TAXIWAY_OUTPUTS: join(runner.folder, 'build/taxiway.properties'),
      ...env,
    });
  };

  it('runs a shell script that uploads and leaves a file of properties', async () => {
    const { code, stderr } = await run({});
    expect(code, stderr).toBe(0);
    await expectResults(readLines(readFile('build/taxiway.properties')), true, NOTES);
  });

  it("fails if the server can't be reached, or its address redirects", async () => {
    expect((await run({ TAXIWAY_URL: NO_SERVER })).code).not.toBe(0);
    const { code, stderr } = await run({ TAXIWAY_URL: redirectingUrl() });
    expect(code, stderr).not.toBe(0);
    expect(stderr).toContain('redirects');
  });
});

describe('the Xcode Cloud script', () => {
  const run = (env: Record<string, string>, build = '46') => {
    mkdirSync(join(runner.folder, 'signed'));
    writeFileSync(join(runner.folder, 'signed/Sample.ipa'), buildIpa({ build }));
    mkdirSync(join(runner.folder, 'ci_scripts'));
    copyFileSync(
      folderOf('xcode-cloud/ci_post_xcodebuild.sh'),
      join(runner.folder, 'ci_scripts/ci_post_xcodebuild.sh'),
    );
    return runner.run(['./ci_scripts/ci_post_xcodebuild.sh'], {
      CI: 'TRUE',
      CI_BUILD_NUMBER: '12',
      CI_BRANCH: 'main',
      CI_XCODEBUILD_EXIT_CODE: '0',
      CI_WORKSPACE_PATH: runner.folder,
      TAXIWAY_URL: fixture.url,
      TAXIWAY_TOKEN: iosToken,
      TAXIWAY_CHANNEL: 'beta',
      ...env,
    });
  };

  it('uploads the ad-hoc archive', async () => {
    const { code, stderr } = await run({
      CI_XCODEBUILD_ACTION: 'archive',
      CI_AD_HOC_SIGNED_APP_PATH: join(runner.folder, 'signed'),
    });
    expect(code, stderr).toBe(0);
    await expectResults(readLines(readFile('taxiway.outputs')), true, 'Xcode Cloud build 12 of main');
  });

  it.each([
    ["the server can't be reached", () => NO_SERVER],
    ['its address redirects', redirectingUrl],
  ])('fails if %s', async (_name, url) => {
    const env = { CI_XCODEBUILD_ACTION: 'archive', CI_AD_HOC_SIGNED_APP_PATH: join(runner.folder, 'signed') };
    expect((await run({ ...env, TAXIWAY_URL: url() })).code).not.toBe(0);
  });

  it('reads the notes from a file of the repository', async () => {
    mkdirSync(join(runner.folder, 'repository'));
    writeNotes('repository/what is new.md');
    const env = {
      CI_XCODEBUILD_ACTION: 'archive',
      CI_AD_HOC_SIGNED_APP_PATH: join(runner.folder, 'signed'),
      CI_PRIMARY_REPOSITORY_PATH: join(runner.folder, 'repository'),
      TAXIWAY_NOTES_FILE: 'what is new.md',
    };
    const { code, stderr } = await run(env, '47');
    expect(code, stderr).toBe(0);
    await expectResults(readLines(readFile('taxiway.outputs')), true, NOTES);
  });

  it.each<[string, Record<string, string>]>([
    ['another action', { CI_XCODEBUILD_ACTION: 'build-for-testing' }],
    ['a failed archive', { CI_XCODEBUILD_ACTION: 'archive', CI_XCODEBUILD_EXIT_CODE: '65' }],
    ['an archive for the App Store', { CI_XCODEBUILD_ACTION: 'archive' }],
  ])('does nothing after %s', async (_name, env) => {
    const { code } = await run(env);
    expect([code, runner.commandLines(), existsSync(join(runner.folder, 'taxiway.outputs'))]).toEqual([0, '', false]);
  });
});
