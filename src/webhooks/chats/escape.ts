// Makes text of users literal in the markup of a chat: no links, no formatting, no mentions.

/** An invisible space, which ends a word for programs that look for mentions and addresses. */
const BREAK = '\u200b';

/** Splits every mention. Chats with Slack-compatible webhooks, and Mattermost, mention people with a plain @. */
function breakMentions(text: string): string {
  return text.replaceAll('@', `@${BREAK}`);
}

/** Splits addresses, which chats link even without markup. */
function breakAddresses(text: string): string {
  return text.replace(/:(?=\/\/)/g, `:${BREAK}`).replace(/\b(www|mailto|tel)(?=[.:])/gi, `$1${BREAK}`);
}

/**
 * Escapes Markdown: characters that could start a block, emphasis, a link, an address or a mention. The beginning of
 * each line is a beginning of a block.
 */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_~|[\]<>]|^[ ]*[#+=-]|^[ ]*\d+(?=[.)](?:\s|$))|:(?=\/\/)/gm, (found) =>
    /\d$/.test(found) ? `${found}${BREAK}` : `${found.slice(0, -1)}\\${found.slice(-1)}`,
  );
}

/** Escapes the three special characters of Slack's markup, and breaks mentions. */
export function escapeSlack(text: string): string {
  return breakMentions(text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'));
}

/** Text of Slack that isn't markup. Slack doesn't interpret it, but chats that accept Slack's messages may. */
export function plainSlack(text: string): string {
  return breakMentions(breakAddresses(text)).replace(/<(?=[!@#a-z])/gi, `<${BREAK}`);
}

/**
 * Escapes the Markdown of Mattermost. It also converts the links and mentions of Slack, wherever they are, so angle
 * brackets and bars become similar characters.
 */
export function escapeMattermost(text: string): string {
  const replaced = text.replaceAll('<', '‹').replaceAll('>', '›').replaceAll('|', '¦');
  return breakMentions(breakAddresses(escapeMarkdown(replaced.replace(/[#~](?=\S)/g, `$&${BREAK}`))));
}

/** Escapes the HTML subset of Google Chat's cards, and breaks what it links without markup. */
export function escapeGoogleChat(text: string): string {
  return breakMentions(breakAddresses(text))
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** Text of Google Chat in which only `<users/…>` and addresses mean something. */
export function plainGoogleChat(text: string): string {
  return breakMentions(breakAddresses(text.replaceAll('<', '‹').replaceAll('>', '›'))).replace(/[*_~`]/g, `$&${BREAK}`);
}
