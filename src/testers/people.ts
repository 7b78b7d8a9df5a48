// Lists of testers, which can be searched by name or email address.
import type { Context } from '../core/context.ts';
import { type Page, type PageRequest, readMatchingPage, readPageInSteps } from '../core/paging.ts';
import { nameLine, pageQuery } from '../lib/shapes.ts';

/** How many people a page of a search reads. */
const MAX_READ = 5_000;
/** The length of the longest email address. */
const MAX_TEXT = 254;

export const peopleQuery = {
  ...pageQuery,
  text: nameLine(MAX_TEXT)
    .optional()
    .meta({
      description:
        'Part of the name or email address, in any case. A page reads at most 5,000 people, so it can have fewer items than ' +
        'its size, or none, while next_cursor continues',
    }),
};

export interface PeopleRequest extends PageRequest {
  text?: string | undefined;
}

export interface Person {
  email: string;
  displayName: string | null;
}

/** The account that has the access of a row. All are null while access is pending. */
export interface Holder {
  holderEmail: string | null;
  displayName: string | null;
  emailVerifiedAt: number | null;
}

/** Returns who is in a row: with the address of the account, or the invited one while access is pending. */
export function personOf(row: Pick<Holder, 'holderEmail' | 'displayName'> & { email: string }): Person {
  return { email: row.holderEmail ?? row.email, displayName: row.displayName };
}

/** Returns the fields of a grant or membership that say who has it. */
export function describeHolder(row: Holder & { email: string; developerId: string | null }) {
  const { email, displayName } = personOf(row);
  return {
    email,
    status: row.developerId === null ? ('pending' as const) : ('active' as const),
    is_verified: row.emailVerifiedAt !== null,
    developer_id: row.developerId,
    display_name: displayName,
  };
}

/** Returns whether the name or email address of a person contains a text, in any case. Without a text, everyone matches. */
export function personMatcher(text: string | undefined): (person: Person) => boolean {
  const wanted = text?.toLowerCase();
  return ({ email, displayName }) =>
    wanted === undefined || [email, displayName].some((value) => value?.toLowerCase().includes(wanted) === true);
}

/** Reads a page of people, or of those that match `text`, newest first. */
export function readPeople<Row extends { id: string }, Item>(
  ctx: Context,
  { text, ...request }: PeopleRequest,
  read: (before: string, limit: number) => Row[],
  toPerson: (row: Row) => Person,
  toItem: (row: Row) => Item,
): Promise<Page<Item>> {
  if (text === undefined) return readPageInSteps(ctx, request, read, toItem);
  const isMatch = personMatcher(text);
  return readMatchingPage(ctx, request, { read, matches: (row) => isMatch(toPerson(row)), max: MAX_READ }, toItem);
}
