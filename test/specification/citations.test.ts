// Every page and heading that code, tests and documentation refer to exists.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anchorsIn, readPage, root } from './pages.ts';

const FOLDERS = ['.ci', '.github', 'bench', 'docs', 'examples', 'scripts', 'src', 'test'];
const isText = (file: string) => /\.(ts|tsx|mjs|css|html|toml|md|json|sh|yml)$|^(scripts|\.ci)\/[^.]+$/.test(file);
const files = [
  ...readdirSync(root),
  ...FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
  ),
].filter((file) => isText(file) && statSync(join(root, file)).isFile());
/** Every text of the repository. */
const texts = new Map(files.map((file) => [file, readPage(file)]));

/** Pages that comments and texts name, some with a heading, from the root of the repository. */
const citations = [...texts].flatMap(([file, text]) =>
  [...text.matchAll(/(?<![\w/.-])docs\/[\w/-]+\.md(?:#[\w-]+)?/g)].map(([target]) => ({ file, target })),
);
/** Links of Markdown to files of the repository, from the page they are on. */
const links = [...texts]
  .filter(([file]) => file.endsWith('.md'))
  .flatMap(([file, text]) =>
    [...text.replace(/^```.*?^```/gms, '').matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(([, link = '']) => ({
      file,
      target: link.startsWith('#') ? `${file}${link}` : normalize(join(dirname(file), link)),
    })),
  );

function isThere(target: string): boolean {
  const [path = '', anchor] = target.split('#');
  if (!existsSync(join(root, path))) return false;
  return anchor === undefined || anchorsIn(readPage(path)).includes(anchor);
}

describe('citations', () => {
  it('lead to an existing page and heading', () => {
    expect(citations.length).toBeGreaterThan(60);
    expect(citations.filter(({ target }) => !isThere(target))).toEqual([]);
  });

  it('between pages do too', () => {
    expect(links.length).toBeGreaterThan(60);
    expect(links.filter(({ target }) => !isThere(target))).toEqual([]);
  });

  it('contain pages instead of section numbers of a document', () => {
    const numbered =
      /(specification|spec)( |,|\n \* )+parts? [1-9]|specification\s+completions|completions,? (\d|conventions)|\(parts? [1-9]/i;
    expect([...texts].filter(([, text]) => numbered.test(text)).map(([file]) => file)).toEqual([]);
  });

  it('include every page of the specification in its list of pages', () => {
    const pages = files.filter((file) => /^docs\/specification\/.+\.md$/.test(file) && !file.endsWith('/README.md'));
    const listed = links.filter(({ file }) => file === 'docs/specification/README.md').map(({ target }) => target);
    expect(listed.filter((target) => target.startsWith('docs/specification/')).sort()).toEqual(pages.sort());
  });
});
