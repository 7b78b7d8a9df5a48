// The form of all emails: plain text and HTML with the same wording and the same links.
//
// Mail programs support little of HTML and CSS: the layout is a table, and each element has its own style. Nothing is loaded from
// elsewhere, because mail programs block it or report it to the sender.
import type { MailContent } from '../core/context.ts';
import type { Language } from '../languages.ts';
import { type Html, html, styleTag } from '../lib/html.ts';
import { renderNotes } from '../lib/markdown/markup.ts';
import { notesToPlainText } from '../lib/markdown/plain-text.ts';

export interface Letter {
  language: Language;
  subject: string;
  /** In whose name the email is sent: the name of an organization, at the top. The service's own name by default. */
  organizationName?: string;
  /** One string per paragraph. All values in them are escaped. */
  paragraphs: readonly string[];
  /** Release notes written by a user, set apart. */
  notes?: string | null;
  /** Other text written by a user, set apart with its line breaks. Not together with `notes`. */
  quoted?: string;
  button?: { label: string; url: string };
  /** Small print after the button. */
  closing?: string;
  /** A link after everything else. */
  unsubscribe?: { label: string; url: string };
}

const MAX_NAME_LENGTH = 80;
const MAX_NOTES_LENGTH = 2_000;
const MAX_NOTES_BYTES = 6_000;

/**
 * Makes a name chosen by a user safe for an email: one line, short. Separators that mail programs would turn into links are
 * broken up, so that nobody can send advertisements in our name.
 */
export function plainName(name: string): string {
  const line = name
    .normalize('NFC')
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .trim();
  // By characters, because half of one can't be shown.
  const characters = [...line];
  const shown = characters.length > MAX_NAME_LENGTH ? `${characters.slice(0, MAX_NAME_LENGTH).join('')}…` : line;
  return shown
    .replace(/:\/\//g, ': //')
    .replace(/(?<=[\p{L}\p{N}])\.(?=\p{L})/gu, '. ')
    .replaceAll('@', ' at ');
}

// The colors are those of the web app's tokens (src/dashboard/styles/tokens.css). Mail programs that don't support the media
// query show the light ones, or invert them.
const style = `
:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){
.page{background:#0a0b0e!important}
.sheet{background:#0f1115!important;border-color:#30343c!important}
.text,.title{color:#eceef1!important}
.small,.name{color:#b3b7bf!important}
.mark{background:#23262c!important;color:#eceef1!important}
.link{color:#86b0ff!important}
.button{background:#2f6cec!important}
.quote{border-color:#30343c!important}
}
@media (max-width:480px){
.page{padding:0!important}
.sheet{padding:24px 20px 8px!important;border-width:1px 0!important;border-radius:0!important}
.top{padding:16px 20px!important}
}
`;

function renderButton({ label, url }: NonNullable<Letter['button']>): Html {
  return html`<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:24px 0"><tr><td class="button" bgcolor="#1256d8" style="border-radius:6px;background:#1256d8"><a href="${url}" style="display:inline-block;padding:12px 24px;border-radius:6px;color:#ffffff;font-size:16px;line-height:24px;font-weight:600;text-decoration:none">${label}</a></td></tr></table>
<p class="small" style="color:#5f636d;font-size:13px;line-height:20px;word-break:break-all"><a class="link" href="${url}" style="color:#0f50cc">${url}</a></p>
`;
}

/** Renders an email as plain text and as HTML. Links are written out in both, for readers who can't click. */
export function composeMail({
  language,
  subject,
  organizationName = 'Taxiway',
  paragraphs,
  notes,
  quoted,
  button,
  closing,
  unsubscribe,
}: Letter): MailContent {
  const written = quoted ?? (notes ? notesToPlainText(notes, MAX_NOTES_LENGTH) : '');
  const quote = written === '' ? undefined : written.replaceAll(/^/gm, '> ').replaceAll(/ $/gm, '');
  const text = [
    ...paragraphs,
    quote,
    ...(button === undefined ? [] : [`${button.label}:\n${button.url}`]),
    closing,
    ...(unsubscribe === undefined ? [] : [`${unsubscribe.label}: ${unsubscribe.url}`]),
  ]
    .filter((part) => part !== undefined)
    .join('\n\n');
  const rendered = notes ? renderNotes(notes, { place: 'mail', maxBytes: MAX_NOTES_BYTES }) : null;
  const markup = quoted === undefined ? rendered : html`<p style="white-space:pre-line">${quoted}</p>`;
  const block: Html | null =
    markup &&
    html`<div class="quote" style="margin:16px 0;border-left:3px solid #d3d6db;padding-left:12px">${markup}</div>\n`;
  const small = (content: string | Html): Html =>
    html`<p class="small" style="color:#5f636d;font-size:14px;line-height:20px">${content}</p>\n`;
  const end = closing === undefined ? null : small(closing);
  const last =
    unsubscribe === undefined
      ? null
      : small(html`<a class="link" href="${unsubscribe.url}" style="color:#0f50cc">${unsubscribe.label}</a>`);
  const name = plainName(organizationName);
  const initial = (/[\p{L}\p{N}]/u.exec(name)?.[0] ?? 'T').toUpperCase();
  const document = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${subject}</title>
${styleTag(style)}</head>
<body class="page" style="margin:0;padding:0;background:#f6f7f9">
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:#f6f7f9;padding:24px 16px"><tr><td align="center" style="font-family:Inter,system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',Arial,sans-serif">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:600px">
<tr><td class="top" style="padding:0 0 16px"><table role="presentation" cellpadding="0" cellspacing="0" border="0"><tr>
<td width="28" valign="top"><div class="mark" aria-hidden="true" style="width:28px;height:28px;border-radius:6px;background:#e6e8eb;color:#434851;font-size:14px;line-height:28px;font-weight:600;text-align:center">${initial}</div></td>
<td class="name" style="padding-left:12px;color:#434851;font-size:14px;line-height:20px;font-weight:500">${name}</td>
</tr></table></td></tr>
<tr><td class="sheet text" style="padding:32px 32px 16px;border:1px solid #e6e8eb;border-radius:10px;background:#ffffff;color:#13161c;font-size:16px;line-height:24px;overflow-wrap:anywhere">
<h1 class="title" style="margin:0 0 16px;color:#13161c;font-size:20px;line-height:28px;font-weight:600">${subject}</h1>
${paragraphs.map((paragraph) => html`<p>${paragraph}</p>\n`)}${block}${button === undefined ? null : renderButton(button)}${end}${last}</td></tr>
</table>
</td></tr></table>
</body>
</html>
`;
  return { subject, text: `${text}\n`, html: document.toString() };
}
