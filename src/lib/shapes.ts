// Schemas shared by all domains.

import { platforms } from '../platforms.ts';
// As a namespace, from which the JavaScript client takes only what it uses.
import * as z from './zod.ts';

/** A UUID. Upper case is accepted and converted, because ids are stored in lower case. */
export const id = () => z.uuid().toLowerCase();

/** A date and time, such as `2026-01-31T12:00:00.000Z`. */
export const dateTime = () => z.iso.datetime();

/** A date and time in a request, in any time zone: many programs write UTC as `+00:00`. */
export const dateTimeInput = () => z.iso.datetime({ offset: true });

/** Spaces, and characters that fonts show as nothing: of a text of these alone, nobody could see or select anything. */
const INVISIBLE = /^[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Z}\u2800]*$/u;

/** A single line of text: trimmed, with something visible, without control characters and lone surrogates. */
export const line = (maximum: number) => toLine(z.string().trim(), maximum);

/**
 * A single line like `line` that names something. Composed (NFC), so that names that look the same are the same, however a keyboard or
 * file system wrote them. Texts that are compared with those of packages and repositories aren't.
 */
export const nameLine = (maximum: number) => toLine(z.string().trim().overwrite(composed(maximum)), maximum);

/** The most characters that become one when they are composed, such as those of U+1F82. */
const MAX_COMPOSED = 4;

/**
 * Returns a function that composes texts (NFC) of which at most `maximum` characters are accepted. It returns longer ones unchanged,
 * because the time to compose a text with thousands of combining characters grows with the square of their number.
 */
export const composed =
  (maximum: number) =>
  (text: string): string =>
    text.length > maximum * MAX_COMPOSED ? text : text.normalize('NFC');

const toLine = (text: z.ZodString, maximum: number) =>
  text
    .min(1)
    .max(maximum)
    .regex(/^[^\p{Cc}\p{Cs}\u2028\u2029]*$/u, 'Input should be one line without control characters')
    .refine((value) => value === '' || !INVISIBLE.test(value), 'Input should have visible characters');

/**
 * A single line like `line`, without the characters that reverse the direction of text: they make a text look like another one.
 */
export const plainLine = (maximum: number) =>
  line(maximum).regex(/^\P{Bidi_Control}*$/u, 'Input should not contain characters that change the direction of text');

/** An http or https address without a user name or password, as it was sent. */
export const webAddress = (maximum: number) =>
  plainLine(maximum).refine(isWebAddress, 'Input should be an http or https URL without a user name or password');

function isWebAddress(text: string): boolean {
  if (!/^https?:\/\/[^\s\\]+$/i.test(text)) return false;
  const url = URL.parse(text);
  return url !== null && url.username === '' && url.password === '' && !/^https?:\/\/[^/?#]*@/i.test(text);
}

/** Text of several lines. Rejects NUL and lone surrogates, because files and emails can't contain them. */
export const prose = (maximum: number) =>
  z
    .string()
    .max(maximum)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the control character is rejected on purpose
    .regex(/^[^\u0000\p{Cs}]*$/u, 'Input should not contain NUL or broken characters');

/** Query parameters of a list: `limit` (clamped when the page is read) and an opaque `cursor`. */
export const pageQuery = {
  // z.int() would reject numbers above the safe range; they must be clamped instead.
  limit: z
    .number()
    .multipleOf(1)
    .min(1)
    .optional()
    .meta({ type: 'integer', description: 'Page size: default 100, larger than 1000 is clamped' }),
  // Not validated: an invalid cursor returns the first page (docs/specification/conventions.md#lists).
  cursor: z.string().optional().meta({ description: 'next_cursor of the previous page' }),
};

/** The schema of a list page: its items, and the cursor of the next page or null on the last page. */
export function page<Item extends z.ZodType>(name: string, item: Item) {
  return z.object({ items: z.array(item), next_cursor: z.string().nullable() }).meta({ id: name });
}

export const inOrganization = { organization_id: id() };
export const inProject = { organization_id: id(), project_id: id() };
export const inChannel = { organization_id: id(), project_id: id(), channel_id: id() };

/** Path parameters below an organization. */
export const inOrganizationPath = z.object({ organization_id: id() });

/** The platform of a package. */
export const platform = z.enum(platforms).meta({ id: 'Platform' });
