// The setup pages: the form, the form with its problems, and the final page.

import type { App, Context } from '../core/context.ts';
import { isSentByForm } from '../http/forms.ts';
import type { FormRefusal } from '../http/operation.ts';
import { NEVER_CHANGES, type Reply, reply } from '../http/reply.ts';
import { type AppError, notFound } from '../lib/errors.ts';
import { noticePage, pageStylesheet } from '../pages/frame.ts';
import type { Setup } from './schema.ts';
import { completeSetup, isSetupOpen } from './setup.ts';
import { type Problems, setupDonePage, setupPage } from './setup-page.ts';

function setupPath(token: string): string {
  return `/setup/${encodeURIComponent(token)}`;
}

function endedLink(): Reply {
  return noticePage(
    'This setup link doesn’t work',
    'It was already used or replaced, or it has expired. If the server is set up, sign in. Otherwise run "taxiway setup-link" on the server, with its --config, to print a new link.',
    404,
  );
}

/** Returns the form of a setup link, or a message that the link doesn't work. */
export function showSetup(ctx: Context, token: string): Reply {
  if (!isSetupOpen(ctx, token)) return endedLink();
  const passwordMinimum = ctx.config.accounts.password_min_length;
  return setupPage({ path: setupPath(token), values: {}, problems: {}, passwordMinimum });
}

/** Completes the setup. Returns the ids for programs or a page for people. */
export async function answerSetup(ctx: Context, token: string, body: Setup) {
  const { developerId, organizationId } = await completeSetup(ctx, token, body);
  if (isSentByForm(ctx.request)) return setupDonePage(ctx.config.server.base_url, body.email);
  return { developer_id: developerId, organization_id: organizationId };
}

/** Returns a rejected form with its values and problems, or an error page. */
export function showSetupRefusal(app: App, { error, fields, path }: FormRefusal): Reply {
  const token = path.split('/').at(-1) ?? '';
  if (!isSetupOpen(app, token)) return endedLink();
  if (error.code !== 'validation_error') return noticePage('Setup failed', error.message, error.status);
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
  if (type === 'missing') return 'Required';
  return message.replace(/^(?:Input|String) should/, 'Must');
}

/** Returns the stylesheet of the page. */
export function showSetupAsset(name: string): Reply {
  if (name !== pageStylesheet.name) throw notFound();
  const headers = { 'cache-control': NEVER_CHANGES };
  return reply('text/css; charset=utf-8', pageStylesheet.content, headers);
}
