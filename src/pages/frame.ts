// The frame of small server-rendered pages that work without scripts, such as the targets of links in emails.
import { createHash } from 'node:crypto';
import { type Reply, reply } from '../http/reply.ts';
import { type Html, html } from '../lib/html.ts';
import { font } from './font.ts';
import { darkPalette, installIcon, installStylesheet, lightPalette } from './styles.ts';

const formRules = `
form>*+*{margin-top:1rem}
label{display:block;font-weight:600}
input{display:block;width:100%;min-height:3rem;margin-top:.25rem;padding:.5rem .75rem;border:1px solid #868a93;border-radius:.75rem;background:var(--ground);color:var(--text);font:inherit;font-weight:400}
input:focus-visible,button:focus-visible{outline:3px solid var(--link);outline-offset:2px}
input[aria-invalid]{border:2px solid currentColor}
button.button{width:100%;font-family:inherit;cursor:pointer}
.problem{font-weight:600}
.hint{color:var(--quiet);font-size:1rem;font-weight:400}
code{font:.9375rem/1.4 var(--font-mono)}
`;

const css = installStylesheet.content + formRules;
const cssName = `${createHash('sha256').update(css).digest('hex').slice(0, 16)}.css`;

/** The stylesheet of these pages. Its name is a hash of its content, so it can be cached forever. */
export const pageStylesheet = { name: cssName, path: `/setup/assets/${cssName}`, content: css };

const contentSecurityPolicy: Record<string, string> = {
  'default-src': "'none'",
  'style-src': "'self'",
  'img-src': "'self'",
  'font-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'self'",
  'frame-ancestors': "'none'",
};

/** Returns a page with a title and one paragraph. */
export function noticePage(
  title: string,
  text: string,
  status: number,
  options: Pick<PageOptions, 'language'> = {},
): Reply {
  return framedPage(
    title,
    html`<main class="alone"><section class="card"><h1>${title}</h1><p>${text}</p></section></main>`,
    status,
    options,
  );
}

export interface PageOptions {
  /** Script tags for the head. */
  scripts?: readonly Html[];
  /** Language of the texts, as the browser asked for it; English by default. */
  language?: string;
  /** Directives of the content security policy that replace those of a page without scripts. */
  policy?: Record<string, string>;
}

/** Returns a whole page around its main part, in the common style. */
export function framedPage(
  title: string,
  main: Html,
  status: number,
  { scripts = [], policy = {}, language }: PageOptions = {},
): Reply {
  const document = html`<!doctype html>
<html lang="${language ?? 'en'}">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="robots" content="noindex, nofollow">
<meta name="theme-color" content="${lightPalette.wash}" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="${darkPalette.wash}" media="(prefers-color-scheme: dark)">
<link rel="icon" href="${installIcon.path}" type="image/svg+xml">
<link rel="stylesheet" href="${pageStylesheet.path}">
<link rel="preload" href="${font.path}" as="font" type="${font.mediaType}" crossorigin>
${scripts}</head>
<body>
${main}
</body>
</html>
`;
  const directives = Object.entries({ ...contentSecurityPolicy, ...policy });
  const headers = {
    'content-security-policy': directives.map((directive) => directive.join(' ')).join('; '),
    ...(language === undefined ? {} : { vary: 'Accept-Language' }),
  };
  return { ...reply('text/html; charset=utf-8', document, headers), status };
}
