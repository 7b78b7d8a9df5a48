// The design tokens of the web app for the documentation, which has the same look: its fonts, and the variables that its own
// stylesheet uses. The dark palette follows the system, because the documentation has no setting for it.

const DARK_ROOT = ':root[data-mantine-color-scheme="dark"]';

interface Block {
  /** What is before the brace: a selector or an at-rule. */
  head: string;
  body: string;
}

/** Returns the blocks of a stylesheet that aren't inside another block. */
function splitBlocks(css: string): Block[] {
  const text = css.replaceAll(/\/\*[\s\S]*?\*\//g, '');
  const blocks: Block[] = [];
  let depth = 0;
  let start = 0;
  let head = '';
  for (const { 0: brace, index } of text.matchAll(/[{}]/g)) {
    if (brace === '{' && depth++ === 0) {
      head = text.slice(start, index).trim();
      start = index + 1;
    }
    if (brace === '}' && --depth === 0) {
      blocks.push({ head, body: text.slice(start, index) });
      start = index + 1;
    }
  }
  return blocks;
}

function namesIn(css: string): Set<string> {
  return new Set([...css.matchAll(/var\((--[\w-]+)/g)].map(([, name = '']) => name));
}

/**
 * Returns the stylesheet with the tokens that `css` uses. Throws for a variable that neither declares.
 * @param tokens the stylesheet of the design tokens
 */
export function selectTokens(tokens: string, css: string): string {
  const used = namesIn(css);
  const declared = new Set([...css.matchAll(/(--[\w-]+)\s*:/g)].map(([, name = '']) => name));
  const select = (body: string): string =>
    body
      .split(';')
      .filter((line) => {
        const name = line.slice(0, line.indexOf(':')).trim();
        if (used.has(name)) declared.add(name);
        return used.has(name);
      })
      .join(';');
  const parts = splitBlocks(tokens).map(({ head, body }) => {
    if (head === '@font-face') return `${head} {${body}}`;
    if (head === DARK_ROOT) return `@media (prefers-color-scheme: dark) { :root {${select(body)}} }`;
    if (head === ':root') return `${head} {${select(body)}}`;
    const inner = splitBlocks(body).map((block) => `${block.head} {${select(block.body)}}`);
    return `${head} { ${inner.join(' ')} }`;
  });
  const missing = [...used].filter((name) => !declared.has(name));
  if (missing.length > 0) throw new Error(`No stylesheet declares ${missing.join(', ')}`);
  return parts.join('\n');
}
