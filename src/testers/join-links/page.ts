// The page of a join link. Opening it changes nothing; its button joins.

import { channelPageUrl } from '../../channels/install-links.ts';
import { sendsEmail } from '../../config/sends-email.ts';
import type { Context } from '../../core/context.ts';
import { type Reply, redirectTo, reply } from '../../http/reply.ts';
import { publicOrganizationIconPath } from '../../images/service.ts';
import { boundName } from '../../install/page/format.ts';
import { organizationLine } from '../../install/page/parts.ts';
import { renderDocument } from '../../install/page/render.ts';
import type { Place } from '../../install/store.ts';
import { chooseLanguage } from '../../languages.ts';
import { type Html, html } from '../../lib/html.ts';
import { findOrganizationColor } from '../../organizations/icon-color.ts';
import { pageTexts } from '../../page-texts/catalog.ts';
import type { Heading } from '../../page-texts/install-texts.ts';
import type { PageTexts } from '../../page-texts/texts.ts';
import { signOf } from '../../pages/signs.ts';
import { formContentSecurityPolicy, formReferrerPolicy } from '../../pages/styles.ts';
import { type JoinState, joinChannel, readJoinState } from './joining.ts';
import { JOIN_PAGE } from './service.ts';

type Shown = Exclude<JoinState, { kind: 'joined' }>;

/** Returns the page of a link, or redirects people who can already install from the channel to its install page. */
export function showJoinPage(ctx: Context, token: string): Promise<Reply> {
  return answer(ctx, token, readJoinState(ctx, token));
}

/** Joins, and redirects to the install page. If that isn't possible, returns the page of the link with the reason. */
export function answerJoin(ctx: Context, token: string): Promise<Reply> {
  return answer(ctx, token, joinChannel(ctx, token));
}

async function answer(ctx: Context, token: string, state: JoinState): Promise<Reply> {
  if (state.kind === 'joined') {
    return { ...redirectTo(channelPageUrl(ctx.config.server.base_url, state.channelId)), status: 302 };
  }
  const document = await render(ctx, token, state);
  const page = reply('text/html; charset=utf-8', document, {
    ...formReferrerPolicy(document),
    'content-security-policy': formContentSecurityPolicy,
    'cache-control': 'no-store',
    'x-robots-tag': 'noindex, nofollow',
    vary: 'Accept-Language, Cookie',
  });
  return { ...page, status: statusOf(state) };
}

function statusOf({ kind }: Shown): number {
  if (kind === 'dead') return 404;
  return kind === 'signed_out' || kind === 'ready' ? 200 : 403;
}

async function render(ctx: Context, token: string, state: Shown): Promise<Html> {
  const texts = pageTexts[chooseLanguage(ctx.request.acceptLanguage)];
  const { words, actions } = contentOf(ctx, token, state, texts);
  const sign = signOf(signs[state.kind]);
  const card = html`<section class="card">${sign}<h1>${words.title}</h1><p>${words.text}</p>${actions}</section>`;
  if (state.kind === 'dead') {
    return renderDocument(texts.install, words.title, html`<main class="alone">${card}</main>`);
  }
  const { place } = state;
  const { organizationId } = place.channel;
  const icon = { iconKey: place.organizationIconKey, iconColor: place.organizationIconColor };
  const iconUrl = publicOrganizationIconPath(organizationId, place.organizationIconKey);
  const line = organizationLine(place.organizationName, iconUrl, place.channel.name);
  const main = html`<main>${line}${card}</main>`;
  return renderDocument(texts.install, words.title, main, await findOrganizationColor(ctx, organizationId, icon));
}

const signs: Readonly<Record<Shown['kind'], string>> = {
  dead: 'link_expired',
  signed_out: 'sign_in',
  ready: 'sign_in',
  unverified: 'verify_email',
  wrong_domain: 'no_access',
  removed: 'no_access',
  two_factor_needed: 'two_factor_needed',
  sign_in_otherwise: 'sign_in_otherwise',
  locked: 'locked',
};

function contentOf(ctx: Context, token: string, state: Shown, { join, install }: PageTexts): Content {
  const { base_url: baseUrl } = ctx.config.server;
  const path = `${JOIN_PAGE}/${encodeURIComponent(token)}`;
  const back = encodeURIComponent(path);
  const signInUrl = `${baseUrl}/sign-in?back=${back}`;
  const otherAccount = button(`${signInUrl}&account=other`, install.otherAccount, 'second');
  const openAccount = button(`${baseUrl}/me`, install.openAccount);
  switch (state.kind) {
    case 'dead':
      return { words: join.dead, actions: null };
    case 'signed_out': {
      const maySignUp = ctx.config.accounts.signup !== 'closed';
      const signUp = maySignUp ? button(`${baseUrl}/sign-up?back=${back}`, join.createAccount, 'second') : null;
      return {
        words: invitation(join, state.place),
        actions: html`<p>${maySignUp ? join.signInOrUp : join.signIn}</p>${button(signInUrl, install.signInButton)}${signUp}`,
      };
    }
    case 'ready':
      return {
        words: invitation(join, state.place),
        actions: html`<p>${join.whoSees(boundName(state.email))}</p>
<form method="post" action="${baseUrl + path}"><p><button class="button">${join.join}</button></p></form>${otherAccount}`,
      };
    case 'unverified':
      return {
        words: (sendsEmail(ctx.config) ? install.verifyEmail : install.askOperatorToVerify)(boundName(state.email)),
        actions: openAccount,
      };
    case 'two_factor_needed':
      return { words: install.twoFactorNeeded, actions: openAccount };
    case 'sign_in_otherwise':
      return {
        words: install.signInOtherwise,
        actions: html`${button(`${signInUrl}&account=other`, install.signInButton)}${button(`${baseUrl}/me`, install.openAccount, 'second')}`,
      };
    case 'wrong_domain':
      return { words: join.wrongDomain(boundName(state.email), state.domain), actions: otherAccount };
    case 'removed':
      return { words: join.removed(boundName(state.email)), actions: otherAccount };
    case 'locked':
      // People who have joined before get to the app by signing in.
      return {
        words: join.locked,
        actions: ctx.actor.kind === 'developer' ? null : button(signInUrl, install.signInButton, 'second'),
      };
  }
}

interface Content {
  words: Heading;
  actions: Html | null;
}

function invitation(join: PageTexts['join'], { projectName, organizationName, channel }: Place): Heading {
  return join.invitation(boundName(projectName), boundName(organizationName), boundName(channel.name, 40));
}

function button(url: string, label: string, style = ''): Html {
  return html`<p><a class="${style === '' ? 'button' : `button ${style}`}" href="${url}">${label}</a></p>`;
}
