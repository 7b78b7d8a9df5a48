// The page at the root, which also shows how to set up the server while that is pending.

import type { Reply } from '../http/reply.ts';
import { DOCS_PATH } from '../lib/api-docs-paths.ts';
import { html } from '../lib/html.ts';
import { englishLifetime, SETUP_LINK_LIFETIME_MS } from '../lib/lifetimes.ts';
import { programName } from '../lib/process.ts';
import { framedPage } from '../pages/frame.ts';

/** Returns the page. It reveals nothing about the server's accounts and apps, only whether the setup is pending. */
export function showHome(isSetupPending: boolean): Reply {
  return isSetupPending ? setupPendingPage() : homePage();
}

function homePage(): Reply {
  const main = html`<main class="alone"><section class="card"><h1>Taxiway</h1>
<p>This server distributes test builds of mobile apps. To install one, open the link that you were sent.</p>
<p>The web app requires JavaScript. Everything it does can be done with the command line and the
<a href="${DOCS_PATH}">API</a> as well.</p></section></main>`;
  return framedPage('Taxiway', main, 200);
}

function setupPendingPage(): Reply {
  const main = html`<main class="alone"><section class="card"><h1>This server isn't set up yet</h1>
<p>Nobody can sign up before its administrator has set it up. Open the setup link: it's in the output of
the server, in the terminal or in the log of the service.</p>
<p>A link works for ${englishLifetime(SETUP_LINK_LIFETIME_MS)}. To print a new one, run this on the server:</p>
<p class="address">${programName()} setup-link</p></section></main>`;
  return framedPage('Set up Taxiway', main, 200);
}
