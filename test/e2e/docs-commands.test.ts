// The commands, configurations and programs of README.md and the documentation work: commands run against a real server, in the order
// of the pages.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parse } from 'smol-toml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientDeclarations, writeApiTypes } from '../../scripts/lib/api-types.ts';
import { loadConfig } from '../../src/config.ts';
import { openWorkshop } from '../commands/test-host.ts';
import { makeProvider } from '../sso/provider.ts';
import { type Providers, startProviders } from '../stores/providers.ts';
import { type BundledScripts, bundleScripts } from '../support/bundled-script.ts';
import { docsPages, readme } from '../support/docs-pages.ts';
import { buildPng, readApiDemos, sha256 } from '../support/fixtures.ts';
import { openBrowser, visit } from './browser.ts';
import { findProgram, projectDir, type RunningServer, runProgram, startServer } from './program.ts';

const allPages = [readme, ...docsPages];

function textsIn(language: string): string[] {
  return allPages.flatMap(({ blocks }) =>
    blocks.filter((block) => block.language === language).map(({ text }) => text),
  );
}

/** The commands of a job in YAML. */
function jobCommands(text: string): string[] {
  const [, script = ''] = /^ *script:\n((?: *- .*\n)+)/m.exec(text) ?? [];
  const lines = [...text.matchAll(/^ *- run: (.*)$/gm), ...script.matchAll(/^ *- (.*)$/gm)];
  return lines.map(([, command = '']) => command).filter((command) => /^(taxiway|node|curl) /.test(command));
}

describe('the commands', () => {
  let server: RunningServer;
  let stores: Providers;
  beforeAll(async () => {
    stores = await startProviders(() => Date.now());
    const apple = stores.config.stores.app_store_connect.base_url;
    server = await startServer({ TAXIWAY_STORES__APP_STORE_CONNECT__BASE_URL: apple });
    // Compiling the program takes longer than most commands.
    const compiled = `NODE_COMPILE_CACHE='${join(server.folder, 'compiled')}'`;
    const command = `#!/bin/sh\n${compiled} exec '${process.execPath}' '${await findProgram()}' "$@"\n`;
    for (const folder of ['', 'bin']) {
      mkdirSync(join(server.folder, folder), { recursive: true });
      writeFileSync(join(server.folder, folder, 'taxiway'), command, { mode: 0o755 });
    }
    writeFileSync(join(server.folder, 'idp-metadata.xml'), await providerMetadata());
    writeFileSync(join(server.folder, 'screen.png'), buildPng(60, 130));
    stores.apple.issuerId = '57246542-96fe-1a63-e053-0824d011072a';
    const { private_key: appleKey } = stores.appleKey({ keyId: 'ABCDE12345' });
    writeFileSync(join(server.folder, 'AuthKey_ABCDE12345.p8'), appleKey);
    const built = ['release/app-release.apk', 'debug/app-debug.apk'].map((file) => `app/build/outputs/apk/${file}`);
    for (const file of ['app.apk', 'app-release.apk', ...built]) {
      mkdirSync(dirname(join(server.folder, file)), { recursive: true });
      writeFileSync(join(server.folder, file), readApiDemos());
    }
  });
  afterAll(async () => {
    await server?.remove();
    await stores?.stop();
  });

  async function bash(script: string) {
    const env = { PATH: `${server.folder}/bin:${process.env.PATH}`, HOME: server.folder };
    return await runProgram('bash', ['--norc', '-eu', '-o', 'pipefail', '-c', script], { cwd: server.folder, env });
  }

  it('of the quick start and the CI page lead from an empty folder to an installed build', async () => {
    const walk = docsPages.flatMap(({ blocks }) =>
      blocks.filter(({ mark }) => mark === 'walk').map(({ text }) => text),
    );
    const script = walk.join('\n').replaceAll('http://localhost:8080', server.setupLink.replace(/\/setup\/.*/, ''));
    const email = /EMAIL=(\S+)/.exec(script)?.[1] ?? '';
    const password = /PASSWORD='([^']+)'/.exec(script)?.[1] ?? '';
    // The documentation is there before the setup.
    expect((await fetch(`${server.url}/docs/start.html`)).status).toBe(200);
    await createAdministrator(server.setupLink, email, password);

    // The variables for the other pages.
    const keep = `
PROJECT_TOKEN=$TOKEN
TOKEN=$(unset TOKEN; TOKEN=; post login "{\\"email\\":\\"$EMAIL\\",\\"password\\":\\"$PASSWORD\\"}" | field access_token)
ORG=$ORGANIZATION API=$SERVER/api/v1/organizations/$ORGANIZATION/sso
declare -p SERVER EMAIL PASSWORD ORGANIZATION ORG API PROJECT HERE CHANNEL TOKEN PROJECT_TOKEN > variables.sh
declare -f field post >> variables.sh
# Every curl fails with the response of the server. Those with -f do so without it, and curl refuses both.
echo 'curl() { case $1 in -f*) command curl "$@" ;; *) command curl --fail-with-body "$@" ;; esac; }' >> variables.sh

echo "$PASSWORD" | taxiway developer create --email dana@example.com --password-stdin >&2`;
    const { code, stdout, stderr } = await bash(`TOKEN=\n${script}\n${keep}`);
    expect(code, stderr).toBe(0);
    const fromCommand = /^install {3}(\S+)$/m.exec(stdout)?.[1];
    const fromCurl = /^Install page of release [\w-]{36}: (\S+)$/m.exec(stdout)?.[1];
    expect(fromCurl).toBe(fromCommand);

    await expectOnPhone(fromCurl ?? '', 'Version 1.0.1 (101)', 'Sent by curl');
  });

  const tried = docsPages.flatMap(({ source, blocks }) => {
    const commands = blocks.filter(({ language, mark }) => language === 'sh' && mark === '').map(({ text }) => text);
    const jobs = blocks.filter(({ language }) => language === 'yaml').flatMap(({ text }) => jobCommands(text));
    return commands.length + jobs.length === 0 ? [] : [{ source, commands, jobs }];
  });

  it.each(tried)('of $source run', async ({ commands, jobs }) => {
    // Placeholders that people replace.
    const named = commands.join('\n').replaceAll(/ ID\b/g, ' "$ORGANIZATION"');
    const { code, stderr } = await bash(`source variables.sh\n${named}`);
    expect(code, stderr).toBe(0);
    // Jobs run in a clone.
    const clone =
      'git init --quiet; git -c user.name=Dana -c user.email=dana@example.com commit --quiet --allow-empty -m First';
    if (jobs.length > 0) expect(await bash(clone)).toMatchObject({ code: 0 });
    for (const job of jobs) {
      const run = 'GITHUB_RUN_NUMBER=7 CI_PIPELINE_ID=7';
      // Workflows that publish previews run for a pull request.
      const pull = job.includes(' preview ') ? 'GITHUB_ACTIONS=true GITHUB_REF=refs/pull/7/merge' : '';
      const variables = `export TAXIWAY_URL=$SERVER TAXIWAY_TOKEN=$PROJECT_TOKEN ${run} ${pull}`;
      const ended = await bash(`source variables.sh\n${variables}\n${job}`);
      expect(ended.code, ended.stderr).toBe(0);
    }
  });

  async function createAdministrator(link: string, email: string, password: string): Promise<void> {
    await visit(await openBrowser(), `${link}?plain`, { device: 'desktop' }, async ({ page }) => {
      await page.getByLabel('Your name').fill('You');
      await page.getByLabel('Email address').fill(email);
      await page.getByLabel('Password').fill(password);
      await page.getByLabel('Organization').fill('Yours');
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { name: 'Taxiway is ready' }).waitFor();
    });
  }

  async function expectOnPhone(address: string, version: string, notes: string): Promise<void> {
    await visit(await openBrowser(), address, { device: 'android' }, async ({ page }) => {
      expect(await page.getByText(version).isVisible()).toBe(true);
      expect(await page.getByText(notes).isVisible()).toBe(true);
      const started = page.waitForEvent('download');
      await page.getByRole('link', { name: 'Download and install' }).click();
      expect(sha256(readFileSync(await (await started).path()))).toBe(sha256(readApiDemos()));
    });
  }
});

describe('each example program', () => {
  // Inside the project, so that the packages it uses are found.
  const folder = join(projectDir, '.cache/docs');
  const files = textsIn('ts').map((text, index) => ({ text, index, file: join(folder, `example-${index}.ts`) }));
  /** What the package exports, from its sources. */
  const sources = { taxiway: 'src/index.ts', 'taxiway/testing': 'src/testing.ts', 'taxiway/client': 'src/client.ts' };
  beforeAll(() => {
    mkdirSync(folder, { recursive: true });
    for (const { text, file } of files) writeFileSync(file, text);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('has the right types', async () => {
    // Declarations, as in the package: the sources, which take ten times as long, have a check of their own.
    const types = join(folder, 'types');
    expect(await compile('-p', join(projectDir, 'tsconfig.library.json'), '--noCheck', '--outDir', types)).toBe('');
    // The types of the client are generated.
    writeApiTypes(join(types, 'api.ts'));
    writeFileSync(join(types, 'api-client.d.ts'), clientDeclarations);
    const places = { taxiway: 'index', 'taxiway/testing': 'testing', 'taxiway/client': 'api-client' };
    const paths = Object.fromEntries(
      Object.entries(places).map(([name, file]) => [name, [join(types, `${file}.d.ts`)]]),
    );
    const config = { extends: '../../tsconfig.json', compilerOptions: { paths }, include: ['*.ts'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    expect(files.length).toBeGreaterThan(0);
    expect(await compile('-p', folder)).toBe('');
  });

  async function compile(...words: string[]): Promise<string> {
    const compiler = join(projectDir, 'node_modules/typescript/bin/tsc');
    const env = { GOGC: process.env.GOGC ?? '' };
    const options = { cwd: folder, env };
    const { stdout, stderr } = await runProgram(process.execPath, [compiler, '--singleThreaded', ...words], options);
    return stdout + stderr;
  }

  describe('as a script', () => {
    let scripts: BundledScripts;
    beforeAll(async () => {
      const resolved = files.map(({ text, index }) => {
        const script = join(folder, `script-${index}.ts`);
        const importsSources = text.replace(/from '(taxiway(?:\/\w+)?)'/g, (whole, name: keyof typeof sources) =>
          whole.replace(name, join(projectDir, sources[name])),
        );
        writeFileSync(script, importsSources);
        return script;
      });
      scripts = await bundleScripts(resolved);
    });
    afterAll(() => scripts?.[Symbol.dispose]());

    it.each(files)('prints the output in its comments (%#)', async ({ text, index }) => {
      // Without a comment, a loop prints any lines, and the others print an address.
      const printed = [...text.matchAll(/^(.*)\bconsole\.log\(.*\);(?: \/\/ (\w+(?: \w+)*))?/gm)].map(
        ([, before = '', value]) => value ?? (before.startsWith('for ') ? '.+(?:\n.+)*' : 'http:.*'),
      );
      const { code, stdout, stderr } = await runProgram(process.execPath, [scripts.files[index] ?? ''], {
        cwd: folder,
      });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      const lines = stdout
        .trim()
        .split('\n')
        .filter((line) => !line.startsWith('{'));
      expect(lines.join('\n')).toMatch(new RegExp(`^${printed.join('\n')}$`));
    });
  });
});

describe('each example', () => {
  it('of the command line is a known command', async () => {
    const inText = allPages.flatMap(({ text }) =>
      [...text.matchAll(/`(taxiway [^`\n]+)`/g)].map(([, call]) => call ?? ''),
    );
    const calls = [...textsIn('sh'), ...textsIn('yaml'), ...inText].flatMap((text) =>
      // In `mc admin policy create minio taxiway policy.json` it is the name of a policy.
      [...text.matchAll(/(?:^|[ /])taxiway (?!taxiway)([a-z-]+)(?![\w.])(.*)$/gm)].map(([, name = '', rest = '']) => ({
        name,
        options: [...rest.replace(/ # .*/, '').matchAll(/--[a-z-]+/g)].map(([option]) => option),
        subcommand: /^ ([a-z-]+)\b/.exec(rest)?.[1] ?? '',
      })),
    );
    expect(calls.length).toBeGreaterThan(40);
    using workshop = openWorkshop();
    const helps = new Map<string, string>();
    for (const { name, options, subcommand } of calls) {
      const family = [
        'developer',
        'organization',
        'sso-domain',
        'storage',
        'storage-request',
        'secret-key',
        'flag',
        'mail',
        'audit',
        'device',
        'store',
      ].includes(name);
      const words = family ? [name, subcommand] : [name];
      const known = helps.get(words.join(' '));
      const { code, stdout } =
        known === undefined ? await workshop.run([...words, '--help']) : { code: 0, stdout: known };
      helps.set(words.join(' '), stdout);
      expect({ words, code }).toEqual({ words, code: 0 });
      for (const option of options) expect(stdout).toContain(` ${option}`);
    }
  });

  it.each(textsIn('toml').map((text) => ({ text })))('of a configuration is accepted (%#)', ({ text }) => {
    const folder = mkdtempSync(join(tmpdir(), 'taxiway-docs-'));
    try {
      for (const [, file = ''] of text.matchAll(/file = "([^/"]+)"/g))
        writeFileSync(join(folder, file), 'x'.repeat(40));
      // Certificates that only exist on the reader's machine are read when the server starts.
      writeFileSync(join(folder, 'config.toml'), text);
      expect(loadConfig({ cwd: folder, env: {} })).toMatchObject(withoutSecrets(parse(text)));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('of README.md that names a file names an existing one', () => {
    for (const [, script = ''] of readme.text.matchAll(/`?((?:scripts|\.ci)\/[a-z]+)/g)) {
      expect(() => readFileSync(join(projectDir, script)), script).not.toThrow();
    }
  });
});

/** The metadata of an identity provider. */
async function providerMetadata(): Promise<string> {
  const { entityId, certificate } = await makeProvider();
  const body = certificate.replace(/-----[^-]+-----|\s/g, '');
  return `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entityId}">
<md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
<md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data>
<ds:X509Certificate>${body}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>
<md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://idp.example.test/sso"/>
</md:IDPSSODescriptor></md:EntityDescriptor>`;
}

/** Leaves out secrets, which are read from elsewhere. */
function withoutSecrets(value: object): object {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) => {
      if (typeof one !== 'object' || one === null || Array.isArray(one)) return [[key, one]];
      return 'file' in one || 'env' in one ? [] : [[key, withoutSecrets(one)]];
    }),
  );
}
