// The page at the root: who opens the address of a server learns what it is and where to go on.
import { framedPage } from '../pages/frame.ts';
import { html } from '../platform/html.ts';
import type { Reply } from '../platform/reply.ts';
import { DOCS_PATH } from './paths.ts';

/** The page. It says nothing of who has an account here or what is distributed. */
export function showHome(): Reply {
  const main = html`<main class="alone"><section class="card"><h1>Taxiway</h1>
<p>This server distributes test builds of mobile apps. To install one, open the link that you were sent.</p>
<p>A new server prints the link that sets it up in its terminal. The team's side of it needs a browser with JavaScript;
everything that it does can be done with the command line and the <a href="${DOCS_PATH}">API</a> as well.</p></section></main>`;
  return framedPage('Taxiway', main, 200);
}
