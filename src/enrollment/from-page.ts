// Registering a phone from the install page of a channel: it continues to an enrollment link, or waits for a build.
import type { Context, DeveloperContext } from '../core/context.ts';
import { findBrowserDevice } from '../devices/cookie.ts';
import { addWaiting } from '../devices/waiting.ts';
import { type EnteredPage, enterChannelPage, enterShortPage } from '../install/channel-pages.ts';
import type { InstallPage } from '../install/page/send.ts';
import { findRegistrationWay, needsBuild } from '../install/registration.ts';
import { returnUrl } from './links.ts';
import { createPageEnrollment } from './service.ts';

/** Where the browser continues. */
interface Continued {
  continueAt: string;
}

/**
 * Registers the phone of a visitor of a channel's page. Returns where the browser continues: a registered phone waits for a build and
 * stays on the page, others get an enrollment link that leads back to it. `isAgain` also gives a registered one a link, because another
 * phone may have its cookie. Returns the page that people without access get, the same for private and missing channels.
 */
export function registerAtChannel(ctx: Context, channelId: string, isAgain: boolean): InstallPage | Continued {
  return register(ctx, enterChannelPage(ctx, channelId), isAgain);
}

/** The same at a short address. */
export function registerAtShortAddress(ctx: Context, slug: string, isAgain: boolean): InstallPage | Continued {
  return register(ctx, enterShortPage(ctx, slug), isAgain);
}

function register(ctx: Context, page: EnteredPage | InstallPage, isAgain: boolean): InstallPage | Continued {
  if (!('place' in page)) return page;
  const { place, isShort } = page;
  const { id: channelId, organizationId, slug } = place.channel;
  const continueAt = returnUrl(ctx.config.server.base_url, channelId, { isShort, slug });
  const way = findRegistrationWay(ctx, place);
  // Anyone who sees the form may use it. The setting of the channel may have changed since.
  if (way !== 'own' && way !== 'unowned') return { continueAt };
  const device = isAgain ? undefined : findBrowserDevice(ctx, organizationId);
  if (device !== undefined) {
    if (needsBuild(ctx, place, device.udid)) ctx.transact((tx) => addWaiting(tx, place.channel, device));
    return { continueAt };
  }
  const owner = way === 'own' ? (ctx as DeveloperContext) : null;
  return { continueAt: createPageEnrollment(ctx, { channelId, organizationId, isShort }, owner) };
}
