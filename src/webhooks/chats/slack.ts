// Messages for incoming webhooks of Slack, in blocks (https://docs.slack.dev/reference/block-kit/blocks). Limits: 50
// blocks, 150 characters of a header, 3,000 of a section, 10 fields of 2,000, 75 of a button and 3,000 of a URL.
import { escapeSlack, plainSlack } from './escape.ts';
import { type Message, summarize } from './message.ts';

const plain = (text: string) => ({ type: 'plain_text', text: plainSlack(text), emoji: false });

export function renderSlack(message: Message): unknown {
  const { title, app, facts, notes, installUrl, pageUrl, iconUrl, qrUrl } = message;
  const fields = facts.map(({ name, value }) => plain(`${name}: ${value}`));
  const icon = iconUrl === null ? {} : { accessory: { type: 'image', image_url: iconUrl, alt_text: 'App icon' } };
  const buttons = [
    ...(installUrl === null ? [] : [{ ...button('Install', installUrl, 'install'), style: 'primary' }]),
    ...(pageUrl === null ? [] : [button('Details', pageUrl, 'details')]),
  ];
  return {
    // Shown in notifications, which don't show blocks.
    text: escapeSlack(summarize(message)),
    blocks: [
      { type: 'header', text: plain(title) },
      ...(app === '' && fields.length === 0
        ? []
        : [
            {
              type: 'section',
              ...(app === '' ? {} : { text: plain(app) }),
              ...(fields.length === 0 ? {} : { fields }),
              ...icon,
            },
          ]),
      ...(notes === '' ? [] : [{ type: 'section', text: plain(notes) }]),
      ...(qrUrl === null ? [] : [{ type: 'image', image_url: qrUrl, alt_text: 'QR code of the install page' }]),
      ...(buttons.length === 0 ? [] : [{ type: 'actions', elements: buttons }]),
    ],
    unfurl_links: false,
    unfurl_media: false,
  };
}

function button(text: string, url: string, id: string) {
  return { type: 'button', text: plain(text), url, action_id: id };
}
