// Packages that a server needs only later are in scripts of their own.
import type { Metafile } from 'esbuild';
import { expect, it } from 'vitest';
import { groupPackages } from '../../scripts/lib/package-bundle.ts';

/** Describes files by what they import; `later ` is before what they load later. */
function bundleOf(files: Record<string, string[]>): Metafile {
  const inputs = Object.entries(files).map(([file, imports]) => {
    const described = imports.map((word) => {
      const path = word.replace('later ', '');
      return { path, kind: path === word ? ('import-statement' as const) : ('dynamic-import' as const) };
    });
    return [file, { bytes: 1, imports: described }] as const;
  });
  return { inputs: Object.fromEntries(inputs), outputs: {} };
}

const scriptsOf = (bundle: Metafile) =>
  groupPackages(bundle).map(({ script, modules }) => ({ script, modules: [...modules].sort() }));

it('puts what the start imports into none, also if others import it later', () => {
  const bundle = bundleOf({
    'src/main.ts': ['later src/commands/serve.ts'],
    'src/commands/serve.ts': ['node_modules/zod/index.js'],
    'src/server.ts': ['later src/mail/smtp.ts', 'node_modules/hono/hono.js'],
    'src/mail/smtp.ts': ['later node_modules/nodemailer/mailer.js', 'node_modules/zod/mini.js'],
    'node_modules/hono/hono.js': ['node_modules/jose/index.js'],
    'node_modules/nodemailer/mailer.js': ['node_modules/jose/index.js'],
  });
  expect(scriptsOf(bundle)).toEqual([
    { script: 'packages/nodemailer.cjs', modules: ['node_modules/nodemailer/mailer.js'] },
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
