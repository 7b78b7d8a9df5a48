// The setup as a person meets it: the form, the form with its problems, and what follows.

import type { App, Context } from '../core/context.ts';
import { isSentByForm } from '../http/forms.ts';
import type { FormRefusal } from '../http/operation.ts';
import { type Reply, reply } from '../http/reply.ts';
import { type AppError, notFound } from '../lib/errors.ts';
import { noticePage, pageStylesheet } from '../pages/frame.ts';
import type { Setup } from './schema.ts';
import { completeSetup, isSetupOpen } from './setup.ts';
import { type Problems, setupDonePage, setupPage } from './setup-page.ts';

const YEAR_SECONDS = 31_536_000;

function setupPath(token: string): string {
  return `/setup/${encodeURIComponent(token)}`;
}

function endedLink(): Reply {
  return noticePage(
    'This setup link does not work',
    'It was used, has expired or was replaced by a newer one. To print a new link, run "taxiway setup-link" on the server.',
    404,
  );
}

/** The form behind a link; for a link that does not work, a page that says so. */
export function showSetup(ctx: Context, token: string): Reply {
  if (!isSetupOpen(ctx, token)) return endedLink();
  const passwordMinimum = ctx.config.accounts.password_min_length;
  return setupPage({ path: setupPath(token), values: {}, problems: {}, passwordMinimum });
}

/** Completes the setup and answers ids to a program, a page to a person. */
export async function answerSetup(ctx: Context, token: string, body: Setup) {
  const { developerId, organizationId } = await completeSetup(ctx, token, body);
  if (isSentByForm(ctx.request)) return setupDonePage(ctx.config.server.base_url, body.email);
  return { developer_id: developerId, organization_id: organizationId };
}

/** A refused form: filled in again with its problems, or a page that says what is wrong. */
export function showSetupRefusal(app: App, { error, fields, path }: FormRefusal): Reply {
  const token = path.split('/').at(-1) ?? '';
  if (!isSetupOpen(app, token)) return endedLink();
  if (error.code !== 'validation_error') return noticePage('That did not work', error.message, error.status);
  const form = {
    path,
    values: fields,
    problems: problemsOf(error),
    passwordMinimum: app.config.accounts.password_min_length,
  };
  return setupPage(form, error.status);
}

function problemsOf({ details }: AppError): Problems {
  const errors = Array.isArray(details.errors) ? details.errors : [];
  const problems: Problems = {};
  for (const { loc, type, msg } of errors) problems[String(loc.at(-1))] = inWords(type, msg);
  return problems;
}

function inWords(type: string, message: string): string {
  if (type === 'missing') return 'Please fill this in';
  return message.replace(/^(?:Input|String) should/, 'This should');
}

/** The stylesheet of the page. */
export function showSetupAsset(name: string): Reply {
  if (name !== pageStylesheet.name) throw notFound();
  const headers = { 'cache-control': `public, max-age=${YEAR_SECONDS}, immutable` };
  return reply('text/css; charset=utf-8', pageStylesheet.content, headers);
}
