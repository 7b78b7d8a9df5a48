// A page with the pictures that differ.
import type { Difference } from './compare.ts';

const STYLE = 'body{font:14px system-ui;margin:24px}img{width:32%;border:1px solid #ccc;vertical-align:top}';

/** Returns the document, which refers to the folders `before`, `after` and `differences` beside it. */
export function drawOverview(commit: string, differences: readonly Difference[]): string {
  const title = `Pages since ${commit.replaceAll(/[^\w./~^@-]/g, '')}`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${title}</title>
<style>${STYLE}</style>
<h1>${title}</h1>
<p>${differences.length} pictures differ. Left: before, middle: after, right: what differs in red.</p>
${differences.map(drawDifference).join('\n')}
</html>
`;
}

function drawDifference({ name, share }: Difference): string {
  const folders = share === 'added' ? ['after'] : share === 'removed' ? ['before'] : ['before', 'after', 'differences'];
  const images = folders.map((folder) => `<img loading="lazy" src="${folder}/${name}" alt="${folder}">`);
  return `<h2>${name}: ${typeof share === 'number' ? `${(share * 100).toFixed(3)} %` : share}</h2><p>${images.join('\n')}</p>`;
}
