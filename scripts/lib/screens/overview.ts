// A page with the pictures that differ.
import { type Html, html } from '../../../src/lib/html.ts';
import type { Difference } from './compare.ts';

const STYLE =
  'body{font:14px system-ui;margin:24px}div{display:flex;gap:16px;align-items:start}img{width:32%;border:1px solid #ccc}';

/** Returns the document, which refers to the folders `before`, `after` and `differences` beside it. */
export function drawOverview(commit: string, differences: readonly Difference[]): Html {
  return html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Pages since ${commit}</title>
<style>${STYLE}</style>
<h1>Pages since ${commit}</h1>
<p>${differences.length} pictures differ. Left: before, middle: after, right: what differs in red.</p>
${differences.map(drawDifference)}
</html>
`;
}

function drawDifference({ name, share }: Difference): Html {
  const folders = share === 'added' ? ['after'] : share === 'removed' ? ['before'] : ['before', 'after', 'differences'];
  const images = folders.map((folder) => html`<img loading="lazy" src="${`${folder}/${name}`}" alt="${folder}">`);
  return html`<h2>${name} \u00b7 ${typeof share === 'number' ? `${(share * 100).toFixed(3)} %` : share}</h2><div>${images}</div>`;
}
