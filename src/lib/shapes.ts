// Wire shapes that every domain shares.
import { z } from 'zod';

/** A UUID; upper case is accepted and folded, as ids are stored in lower case. */
export const id = () => z.uuid().toLowerCase();

/** A moment on the wire: `2026-01-31T12:00:00.000Z`. */
export const dateTime = () => z.iso.datetime();

/** A single line a person typed: trimmed, not empty, without control characters and halves of characters. */
export const line = (maximum: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(maximum)
    .regex(/^[^\p{Cc}\p{Cs}\u2028\u2029]*$/u, 'Input should be one line without control characters');

/** Text of several lines; NUL and halves of characters are refused because no file or mail can carry them. */
export const prose = (maximum: number) =>
  z
    .string()
    .max(maximum)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what it keeps out
    .regex(/^[^\u0000\p{Cs}]*$/u, 'Input should not contain NUL or broken characters');

/** Query parameters of a list: `limit` (clamped by the kernel's paging) and an opaque `cursor`. */
export const pageQuery = {
  // Not z.int(), which refuses what is too large to be exact: larger values are clamped, however large.
  limit: z
    .number()
    .multipleOf(1)
    .min(1)
    .optional()
    .meta({ type: 'integer', description: 'Page size: default 100, larger than 1000 is clamped' }),
  // Of any length: what is no cursor begins at the first page (specification part 9).
  cursor: z.string().optional().meta({ description: 'next_cursor of the page before' }),
};

/** The page of a list: items, and the cursor of the next page or null on the last. */
export function page<Item extends z.ZodType>(name: string, item: Item) {
  return z.object({ items: z.array(item), next_cursor: z.string().nullable() }).meta({ id: name });
}

export const inOrganization = { organization_id: id() };
export const inProject = { organization_id: id(), project_id: id() };
export const inChannel = { organization_id: id(), project_id: id(), channel_id: id() };

/** The parameters of a path below an organization. */
export const inOrganizationPath = z.object({ organization_id: id() });
