// What the servers of chats reject, from their documentation: a fake of their checks.
import type { Json } from '../support/harness.ts';

type Part = Record<string, unknown>;

const bytesOf = (body: Json): number => Buffer.byteLength(JSON.stringify(body));
const listOf = (value: unknown): Part[] => (Array.isArray(value) ? (value as Part[]) : []);
const lengthOf = (value: unknown): number => (typeof value === 'string' ? value.length : Number.NaN);
const textOf = (value: unknown): unknown => (value as Part | undefined)?.text;

/** Returns why a chat would reject a message, or show something other than text and links of ours. */
export function findChatProblems(format: string, body: Json): string[] {
  const found: string[] = [];
  const within = (what: string, value: unknown, max: number) => {
    const length = lengthOf(value);
    if (!(length >= 1 && length <= max)) found.push(`${what} has ${length} of ${max} characters`);
  };
  checks[format]?.(body, within, found);
  for (const url of urlsIn(body)) if (!/^https?:\/\//.test(url)) found.push(`${url} is not an address`);
  return found;
}

type Within = (what: string, value: unknown, max: number) => void;

const checks: Record<string, (body: Json, within: Within, found: string[]) => void> = {
  slack(body, within, found) {
    within('text', body.text, 40_000);
    const blocks = listOf(body.blocks);
    if (blocks.length < 1 || blocks.length > 50) found.push(`${blocks.length} blocks`);
    for (const block of blocks) {
      if (block.type === 'header') within('header', textOf(block.text), 150);
      if (block.type === 'section') {
        if (block.text === undefined && block.fields === undefined) found.push('an empty section');
        if (block.text !== undefined) within('section', textOf(block.text), 3_000);
        if (listOf(block.fields).length > 10) found.push('more than 10 fields');
        for (const field of listOf(block.fields)) within('field', field.text, 2_000);
      }
      for (const element of listOf(block.elements)) {
        within('button', textOf(element.text), 75);
        within('url', element.url, 3_000);
      }
      if (block.type === 'image') within('image', block.image_url, 3_000);
    }
  },
  teams(body, _within, found) {
    if (bytesOf(body) > 28 * 1024) found.push(`${bytesOf(body)} bytes`);
    const [card] = listOf(body.attachments);
    if (card?.contentType !== 'application/vnd.microsoft.card.adaptive') found.push('no adaptive card');
  },
  discord(body, within, found) {
    const embeds = listOf(body.embeds);
    if (embeds.length < 1 || embeds.length > 10) found.push(`${embeds.length} embeds`);
    for (const embed of embeds) {
      within('title', embed.title, 256);
      if (embed.description !== undefined) within('description', embed.description, 4_096);
      if (listOf(embed.fields).length > 25) found.push('more than 25 fields');
      let total = lengthOf(embed.title) + (embed.description === undefined ? 0 : lengthOf(embed.description));
      for (const { name, value } of listOf(embed.fields)) {
        within('name', name, 256);
        within('value', value, 1_024);
        total += lengthOf(name) + lengthOf(value);
      }
      if (total > 6_000) found.push(`${total} characters in an embed`);
    }
    const mentions = body.allowed_mentions as Part | undefined;
    if (listOf(mentions?.parse).length > 0 || mentions === undefined) found.push('mentions are allowed');
  },
  mattermost(body, within, found) {
    if (JSON.stringify(body).length > 16_383) found.push('too long');
    for (const attachment of listOf(body.attachments)) within('fallback', attachment.fallback, 4_000);
  },
  google_chat(body, _within, found) {
    if (bytesOf(body) > 32_000) found.push(`${bytesOf(body)} bytes`);
    const [{ card } = {}] = listOf(body.cardsV2) as { card?: Part }[];
    if (textOfHeader(card) === undefined) found.push('no header');
    for (const section of listOf(card?.sections)) {
      if (listOf(section.widgets).length < 1) found.push('an empty section');
      for (const { image } of listOf(section.widgets)) {
        if (image !== undefined && !String((image as Part).imageUrl).startsWith('https://')) found.push('http image');
      }
    }
  },
};

const textOfHeader = (card: Part | undefined): unknown => (card?.header as Part | undefined)?.title;

/** Every value of a key that holds an address. */
function urlsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(urlsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    typeof inner === 'string' && /(?:^url|_url|Url|_link)$/.test(key) ? [inner] : urlsIn(inner),
  );
}
