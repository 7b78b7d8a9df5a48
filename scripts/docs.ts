// Builds the documentation as static pages for any web server.
import { join, relative, resolve } from 'node:path';
import { exportDocs } from './lib/docs/build.ts';
import { readOptions } from './lib/options.ts';
import { distDir, projectDir, say } from './lib/project.ts';

const help = `scripts/docs [options]

Builds the documentation from docs/ into dist/docs: static pages with relative links, for any web server and any path.
The server has the same pages at /docs.

  --out DIR   where to put them; the folder is emptied first
`;

const { values } = readOptions('scripts/docs', {
  options: { out: { type: 'string' }, help: { type: 'boolean', short: 'h', default: false } },
});
if (values.help) process.stdout.write(help);
else {
  const folder = values.out === undefined ? join(distDir, 'docs') : resolve(values.out);
  const count = await exportDocs(folder);
  say(`${relative(projectDir, folder)}  ${count} files`);
}
