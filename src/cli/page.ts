// The page with the clients that fit this server.
import type { Context } from '../core/context.ts';
import type { Reply } from '../http/reply.ts';
import { chooseLanguage, type Language } from '../languages.ts';
import { formatBytes } from '../lib/formats.ts';
import { type Html, html } from '../lib/html.ts';
import { version } from '../lib/version.ts';
import { pageTexts } from '../page-texts/catalog.ts';
import { framedPage } from '../pages/frame.ts';
import { executablesOf } from './executables.ts';
import { type ClientFile, cliPaths, findClient, readUploader } from './files.ts';

/** Renders the page in the reader's language. Checksums that aren't computed yet are left out. */
export async function showCliPage(ctx: Context): Promise<Reply> {
  const language = chooseLanguage(ctx.request.acceptLanguage);
  const t = pageTexts[language].cli;
  const { base_url: baseUrl } = ctx.config.server;
  const executables = executablesOf(ctx);
  const files = await executables.list();
  const uploader = readUploader(ctx);
  const client = findClient();
  const main = html`<main><header class="bare title"><h1>${t.title}</h1>
<p>${t.intro(version.version)}</p></header>
<section class="part"><h2>${t.uploader.title}</h2>
<p>${t.uploader.text}</p>
<p class="address">curl -fsSO ${baseUrl}${cliPaths.uploader} && sh ${uploader.name} app.apk --channel beta</p>
${fileFacts(uploader, language)}
<p><a class="button second" href="${cliPaths.uploader}">${t.download(uploader.name)}</a></p></section>
${
  client === undefined
    ? null
    : html`<section class="part"><h2>${t.client.title}</h2>
<p>${t.client.text}</p>
<p class="address">curl -fsSO ${baseUrl}${cliPaths.client} && node taxiway.cjs upload app.apk --channel beta</p>
${fileFacts(client, language)}
<p><a class="button second" href="${cliPaths.client}" download="${client.name}">${t.download(client.name)}</a></p></section>`
}
<section class="part"><h2>${t.executables.title}</h2>
<p>${files.length === 0 ? t.executables.none : t.executables.text}</p>
${files.map((file) => {
  const sha256 = executables.knownSha256(file);
  return html`<p><a class="button second" href="${`${cliPaths.executables}${file.name}`}" download="${file.name}">${t.download(file.name)}</a></p>
<dl class="facts"><div><dt>${t.size}</dt><dd>${formatBytes(file.bytes, language)}</dd></div></dl>
<p class="address">${sha256 ?? t.pending}</p>`;
})}</section>
<section class="part"><h2>${t.checksums.title}</h2>
<p>${t.checksums.text}</p>
<p><a href="${cliPaths.checksums}">SHA256SUMS</a></p></section></main>`;
  const page = framedPage(t.title, main, 200, { language });
  return { ...page, headers: { ...page.headers, 'cache-control': 'no-store', vary: 'Accept-Language' } };
}

function fileFacts({ bytes, sha256 }: ClientFile, language: Language): Html {
  const t = pageTexts[language].cli;
  return html`<dl class="facts"><div><dt>${t.size}</dt><dd>${formatBytes(bytes.length, language)}</dd></div></dl>
<p class="quiet">SHA-256</p>
<p class="address">${sha256}</p>`;
}
