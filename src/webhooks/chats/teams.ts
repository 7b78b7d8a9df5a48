// Messages for workflows of Microsoft Teams that post cards: one adaptive card (https://adaptivecards.io/explorer), at most
// 28 KB. Text runs aren't Markdown, so they hold what users wrote; the values of facts are, and are escaped.
import { escapeMarkdown } from './escape.ts';
import { type Message, summarize } from './message.ts';

const literal = (text: string, style: object = {}) => ({
  type: 'RichTextBlock',
  inlines: [{ type: 'TextRun', text, ...style }],
});

export function renderTeams(message: Message): unknown {
  const { title, app, facts, notes, installUrl, pageUrl, iconUrl, qrUrl } = message;
  const heading = [
    { type: 'TextBlock', text: title, weight: 'Bolder', size: 'Medium', wrap: true },
    ...(app === '' ? [] : [literal(app)]),
  ];
  const actions = [
    ...(installUrl === null ? [] : [{ type: 'Action.OpenUrl', title: 'Install', url: installUrl }]),
    ...(pageUrl === null ? [] : [{ type: 'Action.OpenUrl', title: 'Details', url: pageUrl }]),
  ];
  return {
    type: 'message',
    summary: escapeMarkdown(summarize(message)),
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            ...(iconUrl === null ? heading : [besides(iconUrl, heading)]),
            ...(facts.length === 0
              ? []
              : [
                  {
                    type: 'FactSet',
                    facts: facts.map(({ name, value }) => ({ title: name, value: escapeMarkdown(value) })),
                  },
                ]),
            ...(notes === '' ? [] : [literal(notes)]),
            ...(qrUrl === null
              ? []
              : [{ type: 'Image', url: qrUrl, altText: 'QR code of the install page', width: '160px' }]),
          ],
          ...(actions.length === 0 ? {} : { actions }),
        },
      },
    ],
  };
}

function besides(iconUrl: string, items: unknown[]): unknown {
  return {
    type: 'ColumnSet',
    columns: [
      { type: 'Column', width: 'auto', items: [{ type: 'Image', url: iconUrl, altText: 'App icon', width: '48px' }] },
      { type: 'Column', width: 'stretch', items },
    ],
  };
}
