// Pages of accounts, drawn on the server: the first-run setup and the words around it. They need no script.
import { createHash } from 'node:crypto';
import { darkPalette, installIcon, installStylesheet, lightPalette } from '../install/page/styles.ts';
import { type Html, html } from '../platform/html.ts';
import { type Reply, reply } from '../platform/reply.ts';

const formRules = `
form>*+*{margin-top:1rem}
label{display:block;font-weight:600}
input{display:block;width:100%;min-height:3rem;margin-top:.25rem;padding:.5rem .75rem;border:1px solid var(--quiet);border-radius:.75rem;background:var(--ground);color:var(--text);font:inherit;font-weight:400}
input:focus-visible,button:focus-visible{outline:3px solid var(--link);outline-offset:2px}
input[aria-invalid]{border:2px solid currentColor}
button.button{width:100%;font-family:inherit;cursor:pointer}
.problem{font-weight:600}
.hint{color:var(--quiet);font-size:1rem;font-weight:400}
code{font:1rem/1.4 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
`;

const css = installStylesheet.content + formRules;
const cssName = `${createHash('sha256').update(css).digest('hex').slice(0, 16)}.css`;

/** The stylesheet of these pages; the name tells the content, so that it may be cached for ever. */
export const accountStylesheet = { name: cssName, path: `/setup/assets/${cssName}`, content: css };

const contentSecurityPolicy: Record<string, string> = {
  'default-src': "'none'",
  'style-src': "'self'",
  'img-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'self'",
  'frame-ancestors': "'none'",
};

/** A problem of one field in words, by the field's name. */
export type Problems = Record<string, string>;

export interface SetupForm {
  /** Where the form is sent. */
  path: string;
  values: Record<string, string>;
  problems: Problems;
  passwordMinimum: number;
}

interface Field {
  name: string;
  label: string;
  type: 'text' | 'email' | 'password';
  autocomplete: string;
  hint?: string;
}

/** The form that creates the first administrator. Passwords are never filled in again. */
export function setupPage(form: SetupForm, status = 200): Reply {
  const fields: Field[] = [
    { name: 'display_name', label: 'Your name', type: 'text', autocomplete: 'name' },
    { name: 'email', label: 'E-mail address', type: 'email', autocomplete: 'username' },
    {
      name: 'password',
      label: 'Password',
      type: 'password',
      autocomplete: 'new-password',
      hint: `At least ${form.passwordMinimum} characters`,
    },
    { name: 'organization_name', label: 'Organization', type: 'text', autocomplete: 'organization' },
  ];
  const main = html`<main class="alone"><section class="card"><h1>Set up Taxiway</h1>
<p>Create the first administrator and the organization that builds belong to.</p>
<form method="post" action="${form.path}">${fields.map((field) => formField(field, form))}<button class="button" type="submit">Create</button></form></section></main>`;
  return accountPage('Set up Taxiway', main, status);
}

function formField({ name, label, type, autocomplete, hint }: Field, { values, problems }: SetupForm): Html {
  const problem = problems[name];
  const value = type === 'password' ? '' : values[name];
  const input =
    problem === undefined
      ? html`<input name="${name}" type="${type}" autocomplete="${autocomplete}" value="${value}" required>`
      : html`<input name="${name}" type="${type}" autocomplete="${autocomplete}" value="${value}" required aria-invalid="true" aria-describedby="${name}-problem">`;
  const words =
    problem === undefined ? null : html`<p class="problem" id="${`${name}-problem`}" role="alert">${problem}</p>`;
  const help = hint === undefined ? null : html` <span class="hint">${hint}</span>`;
  return html`<div><label>${label}${help}${input}</label>${words}</div>`;
}

/** What to read after the setup. */
export function setupDonePage(baseUrl: string, email: string): Reply {
  const main = html`<main class="alone"><section class="card"><h1>Taxiway is ready</h1>
<p>The account ${email} administers it. This link will not work again.</p>
<p>Sign in from a terminal, then create a project and upload a build:</p>
<p class="address">taxiway login --url ${baseUrl} --email ${email}</p>
<p><a href="/api/docs">What the API can do</a></p></section></main>`;
  return accountPage('Taxiway is ready', main, 201);
}

/** A page that says one thing. */
export function noticePage(title: string, text: string, status: number): Reply {
  return accountPage(
    title,
    html`<main class="alone"><section class="card"><h1>${title}</h1><p>${text}</p></section></main>`,
    status,
  );
}

export interface PageOptions {
  /** Script tags for the head. */
  scripts?: readonly Html[];
  /** Language of its words; English when not given. */
  language?: string;
  /** Directives of the content security policy that differ from those of a page without scripts. */
  policy?: Record<string, string>;
}

/** A whole page around its main part, in the style of all pages here. */
export function accountPage(
  title: string,
  main: Html,
  status: number,
  { scripts = [], policy = {}, language = 'en' }: PageOptions = {},
): Reply {
  const document = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="robots" content="noindex, nofollow">
<meta name="theme-color" content="${lightPalette.ground}" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="${darkPalette.ground}" media="(prefers-color-scheme: dark)">
<link rel="icon" href="${installIcon.path}" type="image/svg+xml">
<link rel="stylesheet" href="${accountStylesheet.path}">
${scripts}</head>
<body>
${main}
</body>
</html>
`;
  const directives = Object.entries({ ...contentSecurityPolicy, ...policy });
  const headers = { 'content-security-policy': directives.map((directive) => directive.join(' ')).join('; ') };
  return { ...reply('text/html; charset=utf-8', document.toString(), headers), status };
}
