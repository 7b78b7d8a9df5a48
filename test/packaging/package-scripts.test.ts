// Packages that a server needs only later are in scripts of their own.
import type { Metafile } from 'esbuild';
import { expect, it } from 'vitest';
import { groupPackages, laterModule } from '../../scripts/lib/package-bundle.ts';
import * as replaced from '../../src/lib/replaced-program.ts';

/** Describes files by what they import; `later ` is before what they load later, and those in `unused` aren't in the bundle. */
function bundleOf(files: Record<string, string[]>, unused: string[] = []): Metafile {
  const inputs = Object.entries(files).map(([file, imports]) => {
    const described = imports.map((word) => {
      const path = word.replace('later ', '');
      return { path, kind: path === word ? ('import-statement' as const) : ('dynamic-import' as const) };
    });
    return [file, { bytes: 1, imports: described }] as const;
  });
  const names = new Set(
    [...Object.keys(files), ...Object.values(files).flat()].map((word) => word.replace('later ', '')),
  );
  const used = [...names].map((name) => [name, { bytesInOutput: unused.includes(name) ? 0 : 1 }] as const);
  const output = { bytes: 1, imports: [], exports: [], inputs: Object.fromEntries(used) };
  return { inputs: Object.fromEntries(inputs), outputs: { 'program.cjs': output } };
}

const scriptsOf = (bundle: Metafile) =>
  groupPackages(bundle).map(({ script, modules }) => ({ script, modules: [...modules].sort() }));

it('leaves what the start imports in the program, and what shares it', () => {
  const bundle = bundleOf({
    'src/main.ts': ['later src/commands/serve.ts'],
    'src/commands/serve.ts': ['node_modules/zod/index.js'],
    'src/server.ts': ['later src/mail/smtp.ts', 'later src/oidc/client.ts', 'node_modules/hono/hono.js'],
    'src/mail/smtp.ts': ['later node_modules/nodemailer/mailer.js', 'node_modules/zod/mini.js'],
    'src/oidc/client.ts': ['node_modules/openid/index.js', 'node_modules/oauth/index.js'],
    'node_modules/hono/hono.js': ['node_modules/jose/index.js'],
    'node_modules/openid/index.js': ['node_modules/jose/index.js', 'node_modules/oauth/index.js'],
  });
  expect(scriptsOf(bundle)).toEqual([
    { script: 'packages/nodemailer.cjs', modules: ['node_modules/nodemailer/mailer.js'] },
  ]);
});

it('leaves out what only unused code imports', () => {
  const files = {
    'src/server.ts': ['later src/saml/reader.ts', 'later src/a.ts'],
    'src/saml/reader.ts': ['node_modules/saml/index.js'],
    'src/a.ts': ['node_modules/a/index.js', 'node_modules/a/types.js'],
  };
  const unused = ['src/saml/reader.ts', 'node_modules/saml/index.js', 'node_modules/a/types.js'];
  expect(scriptsOf(bundleOf(files, unused))).toEqual([
    { script: 'packages/a.cjs', modules: ['node_modules/a/index.js'] },
  ]);
});

it('puts packages that share another into one, also if only a third one shares something with both', () => {
  const bundle = bundleOf({
    'src/main.ts': ['later src/a.ts', 'later src/b.ts', 'later src/c.ts', 'later src/d.ts'],
    'src/a.ts': ['node_modules/@first/one/index.js'],
    'src/b.ts': ['node_modules/second/index.js', 'node_modules/second/other.js'],
    'src/c.ts': ['node_modules/third/index.js'],
    'src/d.ts': ['node_modules/alone/index.js'],
    'node_modules/@first/one/index.js': ['node_modules/bytes/index.js'],
    'node_modules/second/index.js': ['later node_modules/curves/index.js'],
    'node_modules/third/index.js': ['node_modules/bytes/index.js', 'node_modules/curves/index.js'],
  });
  expect(scriptsOf(bundle)).toEqual([
    { script: 'packages/alone.cjs', modules: ['node_modules/alone/index.js'] },
    {
      script: 'packages/first-one.cjs',
      modules: [
        'node_modules/@first/one/index.js',
        'node_modules/second/index.js',
        'node_modules/second/other.js',
        'node_modules/third/index.js',
      ],
    },
  ]);
});

it.each([
  ['is missing', () => failToFind(), new replaced.ProgramReplaced()],
  ['is of another version', () => () => undefined, new replaced.ProgramReplaced()],
  ['fails', () => failToLoad(), new Error('broken')],
])('a script of packages that %s', (_what, script, error) => {
  const load = new Function('require', 'module', laterModule('packages/croner.cjs', 'node_modules/croner/index.js'));
  const require = (path: string) => (path === './assets/packages/croner.cjs' ? script() : replaced);
  expect(() => load(require, {})).toThrow(error);
});

function failToFind(): never {
  throw Object.assign(new Error('Cannot find module'), { code: 'MODULE_NOT_FOUND' });
}

function failToLoad(): never {
  throw new Error('broken');
}
