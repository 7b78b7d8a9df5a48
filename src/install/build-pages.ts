// The install pages of one build, by its id or by an install capability.
import { findBuild } from '../builds/store.ts';
import { noChannel } from '../channels/audience.ts';
import type { Context } from '../core/context.ts';
import { isUuid } from '../runtime/ids.ts';
import { admitPerson } from './admission.ts';
import { draw, drawAccess, drawOffer } from './drawing.ts';
import { findBuildOffer, findCapabilityOffer, findHeldOffer, findTesterPlace, mayDownload } from './offers.ts';
import type { InstallPage } from './page/send.ts';

/**
 * Returns the page of one build, whether it was released or not, for members who may download it, and for testers of a channel
 * on which it is live. For others, existing, missing and malformed ids get the same page.
 */
export function showBuildPage(ctx: Context, buildId: string): InstallPage | Promise<InstallPage> {
  const path = `/install/builds/${encodeURIComponent(buildId)}`;
  const build = isUuid(buildId) ? findBuild(ctx, buildId) : undefined;
  const admitted = admitPerson(ctx, { path, asked: undefined, isAskable: false }, (developerId) => {
    // Both are looked up for missing builds too, so that they aren't found faster.
    const isMember = mayDownload(ctx, developerId, build ?? noChannel);
    const place = isMember ? undefined : findTesterPlace(ctx, developerId, build?.id ?? noChannel.id);
    if (build === undefined || !(isMember || place !== undefined)) return undefined;
    return { organizationId: build.organizationId, build, place };
  });
  if ('kind' in admitted) return drawAccess(ctx, admitted);
  const { developerId, found } = admitted;
  const holder = { developerId };
  const offer =
    found.place === undefined
      ? findBuildOffer(ctx, found.build, holder)
      : findHeldOffer(ctx, found.place, () => holder);
  if (offer === undefined) return draw(ctx, '', null, { kind: 'build_revoked' });
  return drawOffer(ctx, offer, { pageUrl: ctx.config.server.base_url + path });
}

/** Returns the page of an install capability. Expired and unknown ones get the same page. */
export async function showCapabilityPage(ctx: Context, token: string): Promise<InstallPage> {
  const offer = findCapabilityOffer(ctx, token);
  if (offer?.proof == null) return draw(ctx, '', null, { kind: 'link_expired' });
  const expiresAt = new Date(offer.proof.grant.expiresAt);
  return drawOffer(ctx, offer, { pageUrl: offer.links.pageUrl, expiresAt, isChannelHidden: true });
}
