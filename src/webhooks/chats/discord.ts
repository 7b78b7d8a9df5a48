// Messages for webhooks of Discord: one embed (https://docs.discord.com/developers/resources/message#embed-object). Limits: 256
// characters of a title, 4,096 of a description, 25 fields of 256 and 1,024, 6,000 in total.
import { escapeMarkdown } from './escape.ts';
import type { Message } from './message.ts';

/** Escaping can double a text. */
const MAX_DESCRIPTION = 4_096;

export function renderDiscord({ title, app, facts, notes, installUrl, pageUrl, iconUrl, qrUrl, at }: Message): unknown {
  const url = installUrl ?? pageUrl;
  const links = [
    ...(installUrl === null ? [] : [`[Install](${installUrl})`]),
    ...(pageUrl === null ? [] : [`[Details](${pageUrl})`]),
  ];
  const description = [escapeMarkdown(app), escapeMarkdown(notes), links.join(' · ')].filter((part) => part !== '');
  return {
    embeds: [
      {
        title,
        ...(url === null ? {} : { url }),
        ...(description.length === 0 ? {} : { description: description.join('\n\n').slice(0, MAX_DESCRIPTION) }),
        timestamp: at,
        fields: facts.map(({ name, value }) => ({ name, value: escapeMarkdown(value), inline: true })),
        ...(iconUrl === null ? {} : { thumbnail: { url: iconUrl } }),
        ...(qrUrl === null ? {} : { image: { url: qrUrl } }),
      },
    ],
    // What users wrote must not mention anyone.
    allowed_mentions: { parse: [] },
  };
}
