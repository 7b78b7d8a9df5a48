// The page on which visitors of a channel's install page send feedback. Works without scripts.
import { displayBuildNumber } from '../builds/build-number.ts';
import { channelPageUrl, feedbackPageUrl } from '../channels/install-links.ts';
import type { Context } from '../core/context.ts';
import type { ReceivedForm } from '../http/operation.ts';
import { imageTypes } from '../images/limits.ts';
import { publicOrganizationIconPath } from '../images/service.ts';
import { enterChannelPage } from '../install/channel-pages.ts';
import { boundName } from '../install/page/format.ts';
import { organizationLine } from '../install/page/parts.ts';
import { renderDocument } from '../install/page/render.ts';
import type { InstallPage } from '../install/page/send.ts';
import type { Place } from '../install/store.ts';
import { isDeveloper } from '../install/visitor.ts';
import { chooseLanguage } from '../languages.ts';
import { AppError } from '../lib/errors.ts';
import { formatByteLimit } from '../lib/formats.ts';
import { type Html, html } from '../lib/html.ts';
import { prose } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { pageTexts } from '../page-texts/catalog.ts';
import type { FeedbackTexts } from '../page-texts/feedback-texts.ts';
import { signOf } from '../pages/signs.ts';
import { findCurrent } from '../releases/store.ts';
import { MAX_PICTURE_BYTES, MAX_PICTURES, MAX_TEXT } from './limits.ts';
import type { PageFeedback } from './schema.ts';
import { requireOpen, sendFromPage } from './sending.ts';

/** The value of `from` in links of the web app's page for testers. */
const FROM_MY_APPS = 'my-apps';

type Problem = keyof FeedbackTexts['problems'];

/**
 * Returns the form, or for people without access the same page as the install page. Throws the code of a locked organization, before
 * anyone writes what would be refused.
 */
export function showFeedbackPage(ctx: Context, channelId: string, from: string): InstallPage {
  const page = enterChannelPage(ctx, channelId);
  if (!('place' in page)) return page;
  requireOpen(ctx, page.place);
  return drawForm(ctx, page.place, { text: '', email: '', from });
}

/** Saves what a visitor sent and says thank you. Otherwise returns the form again with the problem. */
export async function takeFeedback(
  ctx: Context,
  channelId: string,
  { fields, files, excess }: ReceivedForm<PageFeedback>,
): Promise<InstallPage> {
  const page = enterChannelPage(ctx, channelId);
  if (!('place' in page)) return page;
  const { place } = page;
  requireOpen(ctx, place);
  // Forms send line breaks as two characters, which people don't count.
  const text = fields.text.replaceAll('\r\n', '\n').trim();
  const email = fields.email.trim().toLowerCase();
  if (excess !== undefined) {
    return drawForm(ctx, place, fields, { problem: 'too_many_pictures', status: excess.status, headers: {} });
  }
  const problem = findProblem(text, email);
  if (problem !== undefined) return drawForm(ctx, place, fields, { problem, status: 400, headers: {} });
  try {
    const isFromApps = fields.from === FROM_MY_APPS;
    await sendFromPage(ctx, place, { text, email: email === '' ? null : email, files, isFromApps });
  } catch (error) {
    const refused = error instanceof AppError ? problemOf(error) : undefined;
    if (refused === undefined) throw error;
    return drawForm(ctx, place, fields, refused);
  }
  return drawThanks(ctx, place, fields.from);
}

function findProblem(text: string, email: string): Problem | undefined {
  if (text === '') return 'empty';
  if (!prose(MAX_TEXT).safeParse(text).success) return 'too_long';
  return email === '' || z.email().max(254).safeParse(email).success ? undefined : 'email';
}

interface Refused {
  problem: Problem;
  status: number;
  headers: Record<string, string>;
}

function problemOf({ code, status, headers = {} }: AppError): Refused | undefined {
  if (code === 'invalid_input') return { problem: 'picture', status, headers };
  if (code === 'rate_limit_exceeded') return { problem: 'too_often', status, headers };
  return code === 'quota_exceeded' ? { problem: 'full', status, headers } : undefined;
}

function explain({ problems, language }: FeedbackTexts, problem: Problem): string {
  if (problem === 'too_long') return problems.too_long(MAX_TEXT.toLocaleString(language));
  if (problem !== 'too_many_pictures') return problems[problem];
  return problems.too_many_pictures(MAX_PICTURES, formatByteLimit(MAX_PICTURE_BYTES, language));
}

function drawForm(ctx: Context, place: Place, fields: PageFeedback, refused?: Refused): InstallPage {
  const texts = textsFor(ctx);
  const current = findCurrent(ctx, place.channel.id);
  const version =
    current === undefined ? '' : `${boundName(current.build.versionName, 40)} (${displayBuildNumber(current.build)})`;
  const email = isDeveloper(ctx)
    ? null
    : html`<p class="field"><label for="email">${texts.email}</label><input id="email" name="email" type="email" maxlength="254" autocomplete="email" value="${fields.email}" aria-describedby="email-hint"><span id="email-hint" class="quiet">${texts.emailHint}</span></p>`;
  const form = html`<form method="post" action="${feedbackPageUrl(ctx.config.server.base_url, place.channel.id)}" enctype="multipart/form-data" class="card">
<h1>${texts.title}</h1>
<p class="quiet">${version !== '' && `${texts.about(version)} `}${texts.included(isDeveloper(ctx))}</p>
${refused && html`<p class="card notice" role="alert">${explain(texts, refused.problem)}</p>`}
<p class="field"><label for="text">${texts.text}</label><textarea id="text" name="text" rows="6" maxlength="${String(MAX_TEXT)}" required aria-describedby="text-hint">${fields.text}</textarea><span id="text-hint" class="quiet">${texts.textHint}</span></p>
<p class="field"><label for="pictures">${texts.pictures}</label><input id="pictures" name="pictures" type="file" accept="${imageTypes.join(',')}" multiple aria-describedby="pictures-hint"><span id="pictures-hint" class="quiet">${texts.picturesHint(MAX_PICTURES, formatByteLimit(MAX_PICTURE_BYTES, texts.language))}</span></p>
${email}
<input type="hidden" name="from" value="${fields.from === FROM_MY_APPS ? FROM_MY_APPS : ''}">
<button class="button">${texts.send}</button>
</form>`;
  const page = drawAround(place, texts, html`${form}${backLink(ctx, place, texts)}`);
  return { ...page, ...(refused === undefined ? {} : { refusal: refused }) };
}

function drawThanks(ctx: Context, place: Place, from: string): InstallPage {
  const texts = textsFor(ctx);
  const again = feedbackPageUrl(ctx.config.server.base_url, place.channel.id);
  const address = from === FROM_MY_APPS ? `${again}?from=${FROM_MY_APPS}` : again;
  const words = html`<section class="card" role="status">${signOf('access_asked')}<h1>${texts.sent.title}</h1><p>${texts.sent.text}</p></section>
<p><a class="button second" href="${address}">${texts.another}</a></p>`;
  return drawAround(place, texts, html`${words}${backLink(ctx, place, texts)}`);
}

function backLink(ctx: Context, place: Place, texts: FeedbackTexts): Html {
  return html`<p><a class="button second" href="${channelPageUrl(ctx.config.server.base_url, place.channel.id)}">${texts.back}</a></p>`;
}

function drawAround(place: Place, texts: FeedbackTexts, content: Html): InstallPage {
  const name = boundName(place.projectName);
  const icon = publicOrganizationIconPath(place.organizationId, place.organizationIconKey);
  const main = html`<main>${organizationLine(place.organizationName, icon, name)}${content}</main>`;
  return { html: renderDocument(texts, texts.pageTitle(name), main), isFound: true, hasForm: true };
}

function textsFor(ctx: Context): FeedbackTexts {
  return pageTexts[chooseLanguage(ctx.request.acceptLanguage)].feedback;
}
