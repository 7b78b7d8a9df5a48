// Messages for incoming webhooks of Mattermost: one attachment
// (https://developers.mattermost.com/integrate/reference/message-attachments), at most 16,383 characters. Its text mentions
// people, so mentions are broken everywhere.
import { escapeMattermost } from './escape.ts';
import { type Message, summarize } from './message.ts';

export function renderMattermost(message: Message): unknown {
  const { title, app, facts, notes, installUrl, pageUrl, iconUrl, qrUrl } = message;
  const url = installUrl ?? pageUrl;
  const links = [
    ...(installUrl === null ? [] : [`[Install](${installUrl})`]),
    ...(pageUrl === null ? [] : [`[Details](${pageUrl})`]),
  ];
  const name = app === '' ? '' : `**${escapeMattermost(app)}**`;
  const text = [name, escapeMattermost(notes), links.join(' · ')].filter((part) => part !== '').join('\n\n');
  return {
    attachments: [
      {
        fallback: escapeMattermost(summarize(message)),
        title,
        ...(url === null ? {} : { title_link: url }),
        ...(text === '' ? {} : { text }),
        fields: facts.map(({ name: label, value }) => ({ title: label, value: escapeMattermost(value), short: true })),
        ...(iconUrl === null ? {} : { thumb_url: iconUrl }),
        ...(qrUrl === null ? {} : { image_url: qrUrl }),
      },
    ],
  };
}
