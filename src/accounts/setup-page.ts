// The pages of the first-run setup.

import type { Reply } from '../http/reply.ts';
import { DOCS_PATH } from '../lib/api-docs-paths.ts';
import { type Html, html } from '../lib/html.ts';
import { programName } from '../lib/process.ts';
import { framedPage } from '../pages/frame.ts';

/** Problems as texts by field name. */
export type Problems = Record<string, string>;

export interface SetupForm {
  /** The address to which the form is submitted. */
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
  isOptional?: boolean;
}

/** Returns the form that creates the first admin. Password fields are always empty. */
export function setupPage(form: SetupForm, status = 200): Reply {
  const fields: Field[] = [
    { name: 'display_name', label: 'Your name', type: 'text', autocomplete: 'name' },
    { name: 'email', label: 'Email address', type: 'email', autocomplete: 'username' },
    {
      name: 'password',
      label: 'Password',
      type: 'password',
      autocomplete: 'new-password',
      hint: `At least ${form.passwordMinimum} characters`,
    },
    {
      name: 'organization_name',
      label: 'Organization',
      type: 'text',
      autocomplete: 'organization',
      hint: 'Optional',
      isOptional: true,
    },
  ];
  const main = html`<main class="alone"><section class="card"><h1>Set up Taxiway</h1>
<p>Create the first admin account and the organization for your builds.</p>
<form method="post" action="${form.path}">${fields.map((field) => formField(field, form))}<button class="button" type="submit">Create</button></form></section></main>`;
  return framedPage('Set up Taxiway', main, status);
}

function formField(
  { name, label, type, autocomplete, hint, isOptional = false }: Field,
  { values, problems }: SetupForm,
): Html {
  const problem = problems[name];
  const value = type === 'password' ? '' : values[name];
  const input = isOptional
    ? html`<input name="${name}" type="${type}" autocomplete="${autocomplete}" value="${value}">`
    : problem === undefined
      ? html`<input name="${name}" type="${type}" autocomplete="${autocomplete}" value="${value}" required>`
      : html`<input name="${name}" type="${type}" autocomplete="${autocomplete}" value="${value}" required aria-invalid="true" aria-describedby="${name}-problem">`;
  const words =
    problem === undefined ? null : html`<p class="problem" id="${`${name}-problem`}" role="alert">${problem}</p>`;
  const help = hint === undefined ? null : html` <span class="hint">${hint}</span>`;
  return html`<div><label>${label}${help}${input}</label>${words}</div>`;
}

/** Returns the page shown after the setup. */
export function setupDonePage(baseUrl: string, email: string): Reply {
  const main = html`<main class="alone"><section class="card"><h1>Taxiway is ready</h1>
<p>${email} is the admin account. This link no longer works.</p>
<p>Sign in from a terminal, then create a project and upload a build:</p>
<p class="address">${programName()} login --url ${baseUrl} --email ${email}</p>
<p><a href="${DOCS_PATH}">API reference</a></p></section></main>`;
  return framedPage('Taxiway is ready', main, 201);
}
