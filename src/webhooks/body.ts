// The body of a delivery: the service's own, or a message for the incoming webhook of a chat.

import type { Context } from '../core/context.ts';
import { timestamp } from '../lib/clock.ts';
import { type ChatFormat, type Format, isChatFormat } from '../webhook-events.ts';
import { renderDiscord } from './chats/discord.ts';
import { renderGoogleChat } from './chats/google-chat.ts';
import { renderMattermost } from './chats/mattermost.ts';
import { type Message, writeMessage } from './chats/message.ts';
import { renderSlack } from './chats/slack.ts';
import { renderTeams } from './chats/teams.ts';
import type { EventRow } from './event-store.ts';
import { type EventFacts, readFacts } from './facts.ts';

const renderers: Record<ChatFormat, (message: Message) => unknown> = {
  slack: renderSlack,
  teams: renderTeams,
  discord: renderDiscord,
  mattermost: renderMattermost,
  google_chat: renderGoogleChat,
};

/** Returns the body of a delivery. It is the same for all attempts, except for names that change. */
export function renderBody(ctx: Context, event: EventRow, format: Format): Buffer {
  const facts = readFacts(ctx, event);
  const body = isChatFormat(format) ? renderers[format](writeMessage(ctx, event, facts)) : toEnvelope(event, facts);
  return Buffer.from(JSON.stringify(body));
}

function toEnvelope(event: EventRow, { names, urls }: EventFacts) {
  return {
    id: event.id,
    type: event.type,
    created_at: timestamp(event.createdAt),
    organization_id: event.organizationId,
    project_id: event.projectId,
    data: JSON.parse(event.data),
    names,
    urls,
  };
}
