// The pages of the documentation as tests read them: in reading order, with their code.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inOrder, readContents } from '../../scripts/lib/docs/contents.ts';
import { projectDir } from '../../scripts/lib/project.ts';

interface CodeBlock {
  language: string;
  /** The word behind the language: `walk` or `host` for commands. */
  mark: string;
  text: string;
}

export interface DocsPage {
  source: string;
  text: string;
  blocks: CodeBlock[];
}

/** Returns the code of a page, without the indentation of lists. */
function codeIn(text: string): CodeBlock[] {
  return [...text.matchAll(/^( *)```(\w*) ?(\w*)\n(.*?)^\1```$/gms)].map(
    ([, indent = '', language = '', mark = '', code = '']) => ({
      language,
      mark,
      text: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  );
}

function readDocsPage(source: string): DocsPage {
  const text = readFileSync(join(projectDir, source), 'utf8');
  return { source, text, blocks: codeIn(text) };
}

export const docsPages: readonly DocsPage[] = inOrder(readContents()).flatMap(({ page }) =>
  page.source === undefined ? [] : [readDocsPage(page.source)],
);
export const readme: DocsPage = readDocsPage('README.md');
