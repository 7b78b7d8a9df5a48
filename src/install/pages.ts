// The install pages: which app a link shows, to which phone, in which of the page's states.
import type { Context } from '../platform/context.ts';
import { mintCapability } from './capability.ts';
import { capabilityLinks, channelPageUrl, iconPath } from './links.ts';
import {
  findCapabilityOffer,
  findCurrentOffer,
  findPublicPlace,
  iosBundleIdentifier,
  nameOffer,
  notesOf,
  type Offer,
} from './offers.ts';
import { chooseLocale } from './page/locale.ts';
import { drawQrCode } from './page/qr-code.ts';
import { renderInstallPage } from './page/render.ts';
import { decideInstallState, type InstallFacts } from './page/state.ts';
import { type AppView, type InstallState, type InstallTarget, showsQrCode } from './page/view.ts';
import { recognisePhone } from './phone.ts';

/** A whole page, and whether its link leads anywhere. */
export interface InstallPage {
  html: string;
  isFound: boolean;
}

/** The page of a public channel. A private, absent or malformed one gives the same page. */
export async function showChannelPage(ctx: Context, channelId: string): Promise<InstallPage> {
  const place = findPublicPlace(ctx, channelId);
  const pageUrl = channelPageUrl(ctx.config.server.base_url, channelId);
  if (place === undefined) return draw(ctx, pageUrl, null, { kind: 'not_found' });
  const offer = findCurrentOffer(ctx, place);
  if (offer !== undefined) return drawOffer(ctx, offer);
  const app: AppView = {
    name: place.projectName,
    organizationName: place.organizationName,
    projectName: place.projectName,
    channelName: place.channel.name,
    platform: place.platform,
    iconUrl: null,
    release: null,
  };
  return draw(ctx, pageUrl, app, { kind: 'nothing_released' });
}

/** The page behind an install capability; one that ended or never was gives the same page. */
export async function showCapabilityPage(ctx: Context, token: string): Promise<InstallPage> {
  const offer = findCapabilityOffer(ctx, token);
  return offer === undefined ? draw(ctx, '', null, { kind: 'link_expired' }) : drawOffer(ctx, offer);
}

async function drawOffer(ctx: Context, offer: Offer): Promise<InstallPage> {
  const { place, build, proof, links } = offer;
  const app: AppView = {
    name: nameOffer(offer),
    organizationName: place.organizationName,
    projectName: place.projectName,
    channelName: proof === null ? place.channel.name : null,
    platform: build.platform,
    iconUrl: build.iconKey === null ? null : iconPath(build.id, proof?.token ?? null),
    release: viewRelease(offer),
  };
  const state = decideInstallState({
    now: ctx.clock.now(),
    phone: recognisePhone(ctx.request.userAgent, {
      platform: ctx.request.header('sec-ch-ua-platform'),
      platformVersion: ctx.request.header('sec-ch-ua-platform-version'),
    }),
    platform: build.platform,
    release: app.release,
    target: chooseTarget(ctx, offer),
    inspection: inspectOffer(offer),
    linkExpiresAt: proof === null ? null : new Date(proof.grant.expiresAt),
  });
  return draw(ctx, links.pageUrl, app, state);
}

async function draw(ctx: Context, pageUrl: string, app: AppView | null, state: InstallState): Promise<InstallPage> {
  const qrCode = showsQrCode(state) ? await drawQrCode(pageUrl) : null;
  const locale = chooseLocale(ctx.request.acceptLanguage);
  const html = renderInstallPage({ now: ctx.clock.now(), pageUrl, qrCode, app, state }, locale);
  return { html, isFound: app !== null };
}

/** iOS loads manifest and package outside the browser, so a capability is minted with the page; reloading the page renews it. */
function chooseTarget(ctx: Context, { build, release, proof, links }: Offer): InstallTarget {
  if (build.platform === 'android') return { platform: 'android', downloadUrl: links.downloadUrl };
  if (proof !== null) return { platform: 'ios', manifestUrl: links.manifestUrl };
  const grant = { releaseId: release.id, channelId: release.channelId, developerId: null };
  const { token } = mintCapability(ctx, grant);
  return { platform: 'ios', manifestUrl: capabilityLinks(ctx.config.server.base_url, token).manifestUrl };
}

function viewRelease(offer: Offer): NonNullable<AppView['release']> {
  const { release, build, inspection } = offer;
  const signing = inspection?.signing ?? null;
  return {
    versionName: build.versionName,
    buildNumber: build.buildNumber,
    sizeBytes: build.sizeBytes,
    minimumOsVersion: build.minOsVersion,
    releaseNotes: notesOf(offer),
    releasedAt: new Date(release.createdAt),
    profileKind: signing?.platform === 'ios' ? signing.kind : null,
  };
}

function inspectOffer(offer: Offer): InstallFacts['inspection'] {
  const { build, inspection } = offer;
  const signing = inspection?.signing ?? null;
  const expiresAt = signing?.platform === 'ios' ? signing.expires_at : null;
  // Without a bundle identifier there is no manifest, so nothing that iOS could install.
  const lacksManifest = build.platform === 'ios' && iosBundleIdentifier(offer) === null;
  return {
    isUnreadable: inspection === null || lacksManifest,
    isSimulatorBuild: inspection?.is_simulator === true,
    isUnsigned: signing === null || (signing.platform === 'android' && signing.verified_from_sdk === null),
    isPartial: inspection !== null && inspection.split !== null,
    profileExpiresAt: expiresAt === null ? null : new Date(expiresAt),
  };
}
