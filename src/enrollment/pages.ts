// The pages of an enrollment: the page of its link, the profile, and the result page.

import { type Phone, recognizePhone, unknownApp } from '../compatibility/phone.ts';
import type { Context } from '../core/context.ts';
import { isIpad } from '../devices/compatibility-facts.ts';
import { deviceCookie, findBrowserDevice } from '../devices/cookie.ts';
import { type DeviceRow, findDevice, isRegisteredWithApple } from '../devices/store.ts';
import { type Reply, redirectTo, reply } from '../http/reply.ts';
import { publicOrganizationIconPath } from '../images/service.ts';
import { boundName } from '../install/page/format.ts';
import { drawQrCode } from '../install/page/qr-code.ts';
import { chooseLanguage } from '../languages.ts';
import { notFound } from '../lib/errors.ts';
import type { Html } from '../lib/html.ts';
import { withProgramName } from '../lib/program-name.ts';
import { findOrganizationColor } from '../organizations/icon-color.ts';
import { pageTexts } from '../page-texts/catalog.ts';
import type { DeviceWord, EnrollmentTexts } from '../page-texts/enrollment-texts.ts';
import { isNavigation } from '../pages/error-page.ts';
import { installContentSecurityPolicy } from '../pages/styles.ts';
import { trustPaths } from '../trust/paths.ts';
import { enrollmentUrl, profileUrl, returnUrl } from './links.ts';
import { listOffers, type OwnerAccess } from './offers.ts';
import { type EnrollState, renderDeviceNotice, renderEnrollPage } from './page/enroll-page.ts';
import { renderResultPage } from './page/result-page.ts';
import { profileMediaType, writeProfile } from './profile.ts';
import { readResultProof } from './proofs.ts';
import { findOpenEnrollment } from './service.ts';
import { type Enrollment, findEnrollment } from './store.ts';

function sendPage(page: Html, status: number): Reply {
  const headers = {
    'content-security-policy': installContentSecurityPolicy,
    'x-robots-tag': 'noindex, nofollow',
    vary: 'Accept-Language, User-Agent, Cookie',
  };
  return { ...reply('text/html; charset=utf-8', page, headers), status };
}

/** Returns the page for an expired or unknown link. */
function sendDeadLink(texts: EnrollmentTexts): Reply {
  return sendPage(renderDeviceNotice(texts.deadLink, texts), 404);
}

/** Returns the page of an enrollment link. */
export async function showEnrollPage(ctx: Context, token: string): Promise<Reply> {
  const texts = pageTexts[chooseLanguage(ctx.request.acceptLanguage)].enrollment;
  const enrollment = findOpenEnrollment(ctx, token);
  if (enrollment === undefined) return sendDeadLink(texts);
  const baseUrl = ctx.config.server.base_url;
  const pageUrl = enrollmentUrl(baseUrl, token);
  const state = decideState(recognizePhone(ctx.request.userAgent));
  const view = {
    now: ctx.clock.now(),
    organizationName: enrollment.organizationName,
    ...(await organizationLook(ctx, enrollment)),
    expiresAt: new Date(enrollment.expiresAt),
    pageUrl,
    profileUrl: profileUrl(baseUrl, token),
    qrCode: state.kind === 'desktop' ? await drawQrCode(pageUrl) : null,
    registeredAs: findBrowserDevice(ctx, enrollment.organizationId)?.name ?? null,
    isHttps: baseUrl.startsWith('https:'),
    returnsToApp: enrollment.channelId !== null,
    trustUrl: ctx.config.server.tls.mode === 'internal' ? `${baseUrl}${trustPaths.page}` : null,
    state,
  };
  return sendPage(renderEnrollPage(view, texts), 200);
}

/** Returns the icon and the color of the organization of a link. */
async function organizationLook(ctx: Context, enrollment: Enrollment) {
  const { organizationId, organizationIconKey: iconKey, organizationIconColor: iconColor } = enrollment;
  return {
    organizationIconUrl: publicOrganizationIconPath(organizationId, iconKey),
    color: await findOrganizationColor(ctx, organizationId, { iconKey, iconColor }),
  };
}

function decideState({ system, browser, inAppBrowser, couldBeIpad }: Phone): EnrollState {
  if (system === 'android') return { kind: 'android' };
  if (system === 'desktop') return { kind: 'desktop', couldBeIpad };
  const device = system === 'ipados' ? 'ipad' : 'iphone';
  if (inAppBrowser !== null) {
    const app = inAppBrowser === unknownApp ? null : inAppBrowser;
    return { kind: 'other_browser', device, app, opensSafari: true };
  }
  if (browser === 'Safari') return { kind: 'ready', device };
  return { kind: 'other_browser', device, app: browser, opensSafari: true };
}

/**
 * Returns the signed profile of a link with a new challenge. In a browser, errors are shown as a page, including that
 * the profile could not be signed.
 */
export async function sendProfile(ctx: Context, token: string): Promise<Reply> {
  const texts = pageTexts[chooseLanguage(ctx.request.acceptLanguage)].enrollment;
  const enrollment = findOpenEnrollment(ctx, token);
  if (enrollment === undefined) {
    if (isNavigation(ctx.request)) return sendDeadLink(texts);
    throw notFound();
  }
  const organization = boundName(enrollment.organizationName);
  const words = { title: texts.profileTitle(organization), description: texts.profileDescription(organization) };
  let profile: Buffer;
  try {
    profile = await writeProfile(ctx, token, enrollment, words);
  } catch (error) {
    if (!isNavigation(ctx.request)) throw error;
    ctx.log.error({ request_id: ctx.request.id, err: error }, 'signing a configuration profile failed');
    return sendPage(
      renderDeviceNotice({ ...texts.cannotSign, text: withProgramName(texts.cannotSign.text) }, texts),
      503,
    );
  }
  return reply(profileMediaType, profile, {
    'content-disposition': 'attachment; filename="register-device.mobileconfig"',
  });
}

/**
 * Returns the result page of an enrollment, or leads back to the install page on which the link was created. A valid proof, which
 * the device has just received, sets the cookie of the browser. Later the cookie shows the page again, but with public channels
 * only.
 */
export async function showResultPage(ctx: Context, token: string, proof: string): Promise<Reply> {
  const texts = pageTexts[chooseLanguage(ctx.request.acceptLanguage)].enrollment;
  const enrollment = findEnrollment(ctx, ctx.secrets.hash(token));
  if (enrollment === undefined) return sendDeadLink(texts);
  const { organizationId } = enrollment;
  const provenId = readResultProof(ctx, enrollment.id, proof);
  const proven = provenId === undefined ? undefined : findDevice(ctx, provenId);
  if (enrollment.channelId !== null) {
    const back = redirectTo(returnUrl(ctx.config.server.base_url, enrollment.channelId, enrollment));
    return { ...back, status: 302, ...(proven === undefined ? {} : { cookies: [deviceCookie(ctx, proven.id)] }) };
  }
  const device = provenId === undefined ? findBrowserDevice(ctx, organizationId) : proven;
  if (device === undefined || device.organizationId !== organizationId) return sendDeadLink(texts);
  const access = provenId === undefined ? 'none' : ownerAccess(device, enrollment.createdBy);
  const page = renderResultPage(
    {
      organizationName: enrollment.organizationName,
      ...(await organizationLook(ctx, enrollment)),
      device: wordFor(device),
      name: device.name,
      ending: device.udid.slice(-4),
      isAtApple: isRegisteredWithApple(ctx, device.id),
      offers: listOffers(ctx, device, access),
    },
    texts,
  );
  const answer = sendPage(page, 200);
  return provenId === undefined ? answer : { ...answer, cookies: [deviceCookie(ctx, device.id)] };
}

function ownerAccess({ developerId }: DeviceRow, enrolledBy: string | null): OwnerAccess {
  if (developerId === null) return 'none';
  return developerId === enrolledBy ? 'links' : 'names';
}

function wordFor({ product }: DeviceRow): DeviceWord {
  if (isIpad(product)) return 'ipad';
  return product?.startsWith('iPhone') === true ? 'iphone' : 'device';
}
