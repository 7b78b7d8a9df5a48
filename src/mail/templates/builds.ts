// Emails about builds: releases, and builds that expire or will be deleted.
import type { LocalizedMail } from '../../core/context.ts';
import { DAY, HOUR } from '../../lib/clock.ts';
import { localizedMail } from '../localized.ts';
import type { ExpiryWarning, ReleasedBuild, RetentionNotice } from '../texts/texts.ts';

/** Tells a tester about a new release. The notes were written by a user. */
export function releaseMail({
  notes,
  installUrl: url,
  muteUrl,
  ...about
}: ReleasedBuild & {
  isMandatory: boolean;
  notes: string | null;
  installUrl: string;
  muteUrl: string;
}): LocalizedMail {
  const { organizationName } = about;
  return localizedMail(({ builds }) => builds.release(about), { organizationName, notes, url, muteUrl });
}

/** Tells the owner of devices that waited for a build that one includes them. */
export function deviceReadyMail({
  installUrl: url,
  muteUrl,
  ...about
}: ReleasedBuild & {
  deviceNames: readonly string[];
  installUrl: string;
  /** Null for people who can't unsubscribe from the channel. */
  muteUrl: string | null;
}): LocalizedMail {
  const { organizationName } = about;
  return localizedMail(({ builds }) => builds.deviceReady(about), { organizationName, url, muteUrl });
}

/** Announces the builds that will be deleted in a week because neither the plan nor the rules of their channels keep them. */
export function buildRetentionMail(baseUrl: string, notice: RetentionNotice): LocalizedMail {
  const { organizationName } = notice;
  const [only, second] = notice.projects;
  const page = only !== undefined && second === undefined ? `/projects/${only.projectId}/builds` : '';
  return localizedMail(({ builds }) => builds.retention(baseUrl, notice), {
    organizationName,
    url: `${baseUrl}${page}`,
  });
}

const MAX_PLACES = 20;

/** Warns the maintainers of a project that the profile or certificate of its current releases will expire. */
export function expiryWarningMail(baseUrl: string, warning: ExpiryWarning & { now: number }): LocalizedMail {
  const { organizationName } = warning;
  const facts = {
    ...warning,
    // Whole days, as in the web app. A warning of 60 days is written a few minutes late.
    days: Math.floor((warning.expiresAt - warning.now + HOUR) / DAY),
    places: warning.places.slice(0, MAX_PLACES),
    more: Math.max(0, warning.places.length - MAX_PLACES),
  };
  return localizedMail(({ builds }) => builds.expiry(baseUrl, facts), {
    organizationName,
    url: `${baseUrl}/expiring`,
  });
}
