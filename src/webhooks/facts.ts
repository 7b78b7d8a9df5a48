// What a delivery says beside the ids of its event: names, addresses and the facts of a message. Read when it's sent, so
// that what was deleted since isn't shown.

import { displayBuildNumber } from '../builds/build-number.ts';
import type { BuildRow } from '../builds/store.ts';
import {
  buildPageUrl,
  buildQrUrl,
  channelPageUrl,
  channelQrUrl,
  MESSAGE_ICON_PURPOSE,
  messageIconUrl,
} from '../channels/install-links.ts';
import type { Context } from '../core/context.ts';
import { notesToPlainText } from '../lib/markdown/plain-text.ts';
import type { Platform } from '../platforms.ts';
import { signFields } from '../runtime/signing.ts';
import type { WebhookEvent } from '../webhook-events.ts';
import { findNames } from './event-names.ts';
import type { EventRow } from './event-store.ts';

type InspectionStatus = BuildRow['inspectionStatus'];

/** Names of what the ids of an event mean; null for what it doesn't have or what is unknown. Chosen by users. */
interface EventNames {
  organization: string | null;
  project: string | null;
  channel: string | null;
  version_name: string | null;
  /** As people see it: CFBundleVersion on iOS. */
  build_number: string | null;
  device: string | null;
}

/** Addresses that belong to an event; null for those that it doesn't have. */
interface EventUrls {
  /** The page in the web app. */
  page: string | null;
  /** The install page, which asks people to sign in unless the channel is public. */
  install: string | null;
  /** A picture with the QR code of the install page. */
  qr: string | null;
  /** The icon of the app. */
  icon: string | null;
}

/** Everything that is known about an event. */
export interface EventFacts {
  names: EventNames;
  urls: EventUrls;
  platform: Platform | null;
  sizeBytes: number | null;
  /** What the release or build contains, or what a tester wrote. */
  notes: string | null;
  /** Who did it. */
  person: string | null;
  inspectionStatus: InspectionStatus | null;
}

interface EventData {
  channel_id?: string;
  build_id?: string;
  release_id?: string;
  webhook_id?: string;
  feedback_id?: string;
}

interface EventDetails {
  /** The name of a registered device, or of the channel of an ended preview. */
  name?: string;
  channel?: string;
  version_name?: string;
  build_number?: number;
  /** As people see it, if that isn't `build_number`. */
  display_build_number?: string;
  size_bytes?: number;
  status?: InspectionStatus;
  by?: { developerId?: string; token?: string };
}

/** What is shown about an event of a type. */
interface Shown {
  /** Returns the path of the web app's page about it, or null without its project. */
  page(data: EventData, projectId: string | null): string | null;
  /** What its install page is for. */
  installs?: 'channel' | 'build';
  /** Whether the notes of its release or build are shown. */
  hasNotes?: true;
}

const inProject =
  (page: (data: EventData) => string): Shown['page'] =>
  (data, projectId) =>
    projectId === null ? null : `/projects/${projectId}${page(data)}`;
const channelPage = inProject(({ channel_id: id }) => `/channels/${id}`);
const buildPage = inProject(({ build_id: id }) => `/builds/${id}`);

const shownByType: Record<WebhookEvent, Shown> = {
  'release.created': { page: channelPage, installs: 'channel', hasNotes: true },
  'release.deleted': { page: channelPage },
  'release.rolled_back': { page: channelPage, installs: 'channel' },
  'build.uploaded': { page: buildPage, installs: 'build', hasNotes: true },
  'build.inspected': { page: buildPage, installs: 'build', hasNotes: true },
  'build.deleted': { page: inProject(() => '/builds') },
  'preview.ended': { page: inProject(() => '') },
  'device.registered': { page: () => '/devices' },
  'feedback.received': { page: inProject(({ feedback_id: id }) => `/feedback?feedback=${id}`) },
  'webhook.test': { page: ({ webhook_id: id }) => `/webhooks/${id}` },
};

/** Returns nothing to show for the event of a newer version, which a downgrade leaves behind. */
function shownOf(type: string): Shown {
  return Object.hasOwn(shownByType, type) ? shownByType[type as WebhookEvent] : { page: () => null };
}

/** Reads what is known about an event. Costs a few lookups by id. */
export function readFacts(ctx: Context, event: EventRow): EventFacts {
  const { type } = event;
  const shown = shownOf(type);
  const data: EventData = JSON.parse(event.data);
  const details: EventDetails = JSON.parse(event.details);
  const found = findNames(ctx, {
    organizationId: event.organizationId,
    projectId: event.projectId,
    channelId: data.channel_id ?? null,
    buildId: data.build_id ?? null,
    releaseId: data.release_id ?? null,
    feedbackId: data.feedback_id ?? null,
    // Who wrote feedback is for the people of the project.
    developerId: type === 'feedback.received' ? null : (details.by?.developerId ?? null),
  });
  const { organization, project, channel, build, release, feedback, developer } = found;
  // For a deleted build only the data of the event is available.
  const recorded = details.display_build_number ?? details.build_number;
  const buildNumber = build === undefined ? recorded : displayBuildNumber(build);
  return {
    names: {
      organization: organization?.name ?? null,
      project: project?.name ?? null,
      channel: (type === 'preview.ended' ? details.name : (details.channel ?? channel?.name)) ?? null,
      version_name: build?.versionName ?? details.version_name ?? null,
      build_number: buildNumber === undefined ? null : String(buildNumber),
      device: type === 'device.registered' ? (details.name ?? null) : null,
    },
    urls: linksOf(ctx, shown, { projectId: event.projectId, data, isChannelKnown: channel !== undefined, build }),
    platform: project?.platform ?? null,
    sizeBytes: build?.sizeBytes ?? details.size_bytes ?? null,
    notes: feedback?.text ?? (shown.hasNotes ? readNotes(release?.releaseNotes ?? build?.releaseNotes ?? null) : null),
    person: type === 'feedback.received' ? null : (details.by?.token ?? developer?.displayName ?? null),
    inspectionStatus: type === 'build.inspected' ? (details.status ?? null) : null,
  };
}

/** Notes are Markdown, which each chat writes in another way. What a tester wrote isn't. */
function readNotes(notes: string | null): string | null {
  return notes === null ? null : notesToPlainText(notes);
}

interface Linked {
  projectId: string | null;
  data: EventData;
  isChannelKnown: boolean;
  build: { id: string; iconKey: string | null } | undefined;
}

function linksOf(ctx: Context, shown: Shown, { projectId, data, isChannelKnown, build }: Linked): EventUrls {
  const { base_url: base } = ctx.config.server;
  const icon =
    build === undefined || build.iconKey === null
      ? null
      : messageIconUrl(base, build.id, signFields(ctx.secrets.keyring, MESSAGE_ICON_PURPOSE, [build.id]));
  const page = shown.page(data, projectId);
  const urls = { page: page === null ? null : `${base}${page}`, install: null, qr: null, icon };
  if (shown.installs === 'channel' && isChannelKnown && data.channel_id !== undefined) {
    return { ...urls, install: channelPageUrl(base, data.channel_id), qr: channelQrUrl(base, data.channel_id) };
  }
  if (shown.installs !== 'build' || build === undefined) return urls;
  return { ...urls, install: buildPageUrl(base, build.id), qr: buildQrUrl(base, build.id) };
}
