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

/** Reads what is known about an event. Costs a few lookups by id. */
export function readFacts(ctx: Context, event: EventRow): EventFacts {
  const type = event.type as WebhookEvent;
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
  const says = type === 'release.created' || type === 'build.uploaded' || type === 'build.inspected';
  return {
    names: {
      organization: organization?.name ?? null,
      project: project?.name ?? null,
      channel: (type === 'preview.ended' ? details.name : (details.channel ?? channel?.name)) ?? null,
      version_name: build?.versionName ?? details.version_name ?? null,
      build_number: buildNumber === undefined ? null : String(buildNumber),
      device: type === 'device.registered' ? (details.name ?? null) : null,
    },
    urls: linksOf(ctx, { type, projectId: event.projectId, data, isChannelKnown: channel !== undefined, build }),
    platform: project?.platform ?? null,
    sizeBytes: build?.sizeBytes ?? details.size_bytes ?? null,
    notes: feedback?.text ?? (says ? readNotes(release?.releaseNotes ?? build?.releaseNotes ?? null) : null),
    person: type === 'feedback.received' ? null : (details.by?.token ?? developer?.displayName ?? null),
    inspectionStatus: type === 'build.inspected' ? (details.status ?? null) : null,
  };
}

/** Notes are Markdown, which each chat writes in another way. What a tester wrote isn't. */
function readNotes(notes: string | null): string | null {
  return notes === null ? null : notesToPlainText(notes);
}

interface Linked {
  type: WebhookEvent;
  projectId: string | null;
  data: EventData;
  isChannelKnown: boolean;
  build: { id: string; iconKey: string | null } | undefined;
}

function linksOf(ctx: Context, { type, projectId, data, isChannelKnown, build }: Linked): EventUrls {
  const { base_url: base } = ctx.config.server;
  const icon =
    build === undefined || build.iconKey === null
      ? null
      : messageIconUrl(base, build.id, signFields(ctx.secrets.keyring, MESSAGE_ICON_PURPOSE, [build.id]));
  const page = pageOf(type, projectId, data);
  const urls = { page: page === null ? null : `${base}${page}`, install: null, qr: null, icon };
  const isOfChannel = type === 'release.created' || type === 'release.rolled_back';
  if (isOfChannel && isChannelKnown && data.channel_id !== undefined) {
    return { ...urls, install: channelPageUrl(base, data.channel_id), qr: channelQrUrl(base, data.channel_id) };
  }
  if (build === undefined || (type !== 'build.uploaded' && type !== 'build.inspected')) return urls;
  return { ...urls, install: buildPageUrl(base, build.id), qr: buildQrUrl(base, build.id) };
}

/** The path of the web app's page about an event. */
function pageOf(type: WebhookEvent, projectId: string | null, data: EventData): string | null {
  if (type === 'webhook.test') return `/webhooks/${data.webhook_id}`;
  if (type === 'device.registered') return '/devices';
  if (projectId === null) return null;
  const project = `/projects/${projectId}`;
  if (type === 'build.deleted') return `${project}/builds`;
  if (type === 'preview.ended') return project;
  if (type === 'feedback.received') return `${project}/feedback?feedback=${data.feedback_id}`;
  return type.startsWith('build.') ? `${project}/builds/${data.build_id}` : `${project}/channels/${data.channel_id}`;
}
