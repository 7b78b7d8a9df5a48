// Messages for incoming webhooks of Google Chat: one card
// (https://developers.google.com/workspace/chat/api/reference/rest/v1/cards), at most 32,000 bytes. Pictures need https. The text of
// widgets is a subset of HTML.
import { escapeGoogleChat, plainGoogleChat } from './escape.ts';
import { type Message, summarize } from './message.ts';

export function renderGoogleChat(message: Message): unknown {
  const { title, app, facts, notes, installUrl, pageUrl, iconUrl, qrUrl } = message;
  const buttons = [
    ...(installUrl === null ? [] : [button('Install', installUrl)]),
    ...(pageUrl === null ? [] : [button('Details', pageUrl)]),
  ];
  const widgets = [
    ...(app === '' ? [] : [{ decoratedText: { topLabel: 'App', text: escapeGoogleChat(app), wrapText: true } }]),
    ...facts.map(({ name, value }) => ({
      decoratedText: { topLabel: name, text: escapeGoogleChat(value), wrapText: true },
    })),
    ...(notes === '' ? [] : [{ textParagraph: { text: escapeGoogleChat(notes).replaceAll('\n', '<br>') } }]),
    ...(qrUrl === null ? [] : [{ image: { imageUrl: qrUrl, altText: 'QR code of the install page' } }]),
    ...(buttons.length === 0 ? [] : [{ buttonList: { buttons } }]),
  ];
  const icon = iconUrl === null ? {} : { imageUrl: iconUrl, imageType: 'SQUARE', imageAltText: 'App icon' };
  return {
    // Shown in notifications, which don't show cards.
    fallbackText: plainGoogleChat(summarize(message)),
    cardsV2: [
      {
        cardId: 'event',
        card: { header: { title, ...icon }, ...(widgets.length === 0 ? {} : { sections: [{ widgets }] }) },
      },
    ],
  };
}

function button(text: string, url: string) {
  return { text, onClick: { openLink: { url } } };
}
