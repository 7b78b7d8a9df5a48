// The body of a delivery: the service's own, or a message for the incoming webhook of a chat.

import { displayBuildNumber } from '../builds/build-number.ts';
import { channelPageUrl } from '../channels/install-links.ts';
import type { Context } from '../core/context.ts';
import { timestamp } from '../lib/clock.ts';
import type { Format } from '../webhook-events.ts';
import { type WebhookEvent, webhookEventNames } from '../webhook-events.ts';
import { type EventRow, findNames } from './delivery-store.ts';

/** The event as text. Facts contain names chosen by users, so each format escapes them. */
interface Message {
  title: string;
  facts: { name: string; value: string }[];
  /** The install page of the release, for a public channel. */
  link: string | null;
  at: string;
}

function titleOf(event: WebhookEvent): string {
  return event === 'webhook.test' ? 'Test delivery: the webhook works' : webhookEventNames[event];
}

const MAX_VALUE_LENGTH = 200;

/** Returns the body of a delivery. It is the same for all attempts, except for names that change. */
export function renderBody(ctx: Context, event: EventRow, format: Format): Buffer {
  return Buffer.from(JSON.stringify(format === 'svc' ? toEnvelope(event) : renderers[format](readMessage(ctx, event))));
}

function toEnvelope(event: EventRow) {
  return {
    id: event.id,
    type: event.type,
    created_at: timestamp(event.createdAt),
    organization_id: event.organizationId,
    project_id: event.projectId,
    data: JSON.parse(event.data),
  };
}

interface EventData {
  channel_id?: string;
  build_id?: string;
}

interface EventDetails {
  /** The name of a registered device. */
  name?: string;
  channel?: string;
  version_name?: string;
  build_number?: number;
}

function readMessage(ctx: Context, event: EventRow): Message {
  const data: EventData = JSON.parse(event.data);
  const details: EventDetails = JSON.parse(event.details);
  const { project, channel, build } = findNames(ctx, {
    projectId: event.projectId,
    ...(data.channel_id === undefined ? {} : { channelId: data.channel_id }),
    ...(data.build_id === undefined ? {} : { buildId: data.build_id }),
  });
  const versionName = build?.versionName ?? details.version_name;
  // For a deleted build only the data of the event is available.
  const buildNumber = build === undefined ? details.build_number : displayBuildNumber(build);
  const facts = [
    { name: 'Project', value: project?.name },
    { name: 'Version', value: versionName === undefined ? undefined : `${versionName} (${buildNumber})` },
    { name: 'Channel', value: details.channel ?? channel?.name },
    { name: 'Device', value: event.type === 'device.registered' ? details.name : undefined },
  ];
  const isInstallable = event.type === 'release.created' && channel?.isPublic === true && data.channel_id !== undefined;
  const said = facts.map(({ name, value }) => ({ name, value: oneLine(value ?? '') }));
  return {
    title: titleOf(event.type as WebhookEvent),
    // Chats reject messages with an empty field, which a name of invisible characters would result in.
    facts: said.filter(({ value }) => value !== ''),
    link: isInstallable ? channelPageUrl(ctx.config.server.base_url, data.channel_id ?? '') : null,
    at: timestamp(event.createdAt),
  };
}

function oneLine(value: string): string {
  return value
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_VALUE_LENGTH)
    .toWellFormed();
}

/**
 * Escapes the Markdown of Teams and Discord: characters that could start a block, emphasis, a link, an address or a
 * mention.
 */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_~|[\]<>]|^[#+-]|:(?=\/\/)/g, '\\$&');
}

/**
 * Escapes the three special characters of Slack, so that names can't create mentions or links. Chats with
 * Slack-compatible webhooks mention people with a plain @, which an invisible space breaks.
 */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('@', '@\u200b');
}

const renderers: Record<Exclude<Format, 'svc'>, (message: Message) => unknown> = {
  slack({ title, facts, link }) {
    const fields = facts.map(({ name, value }) => ({ type: 'plain_text', text: `${name}: ${value}`, emoji: false }));
    const heading = { type: 'mrkdwn', text: link === null ? `*${title}*` : `*${title}*  <${link}|Install>` };
    return {
      // Shown in notifications, which don't show blocks.
      text: [title, ...facts.map(({ value }) => escapeSlack(value))].join(' · '),
      blocks: [{ type: 'section', text: heading, ...(fields.length === 0 ? {} : { fields }) }],
      unfurl_links: false,
    };
  },
  teams({ title, facts, link }) {
    const heading = { type: 'TextBlock', text: title, weight: 'Bolder', size: 'Medium', wrap: true };
    const factSet = {
      type: 'FactSet',
      facts: facts.map(({ name, value }) => ({ title: name, value: escapeMarkdown(value) })),
    };
    return {
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          contentUrl: null,
          content: {
            $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
            type: 'AdaptiveCard',
            version: '1.4',
            body: facts.length === 0 ? [heading] : [heading, factSet],
            ...(link === null ? {} : { actions: [{ type: 'Action.OpenUrl', title: 'Install', url: link }] }),
          },
        },
      ],
    };
  },
  discord({ title, facts, link, at }) {
    return {
      embeds: [
        {
          title,
          ...(link === null ? {} : { url: link }),
          timestamp: at,
          fields: facts.map(({ name, value }) => ({ name, value: escapeMarkdown(value), inline: true })),
        },
      ],
      // Build names must not mention anyone.
      allowed_mentions: { parse: [] },
    };
  },
};
