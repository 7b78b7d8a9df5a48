// API schemas of join links.
import { dateTime, id, line, page } from '../../lib/shapes.ts';
import * as z from '../../lib/zod.ts';
import { expiry } from '../../tokens/expiry.ts';

const MAX_PEOPLE = 100_000;
/** A domain in Unicode can be longer than in ASCII. */
const MAX_DOMAIN_LENGTH = 1012;

const joinLinkFields = {
  identifier: id(),
  organization_id: id(),
  project_id: id(),
  channel_id: id(),
  label: z.string().nullable(),
  state: z.enum(['open', 'full', 'expired', 'revoked']).meta({ description: 'People can join while the link is open' }),
  email_domain: z
    .string()
    .nullable()
    .meta({ description: 'Only verified addresses of exactly this domain can join; null for all addresses' }),
  max_people: z.int().nullable().meta({ description: 'Null for any number' }),
  joined: z.int().meta({ description: 'Number of people who joined with the link, including those removed later' }),
  created_at: dateTime(),
  created_by_developer_id: id().nullable().meta({ description: 'Null for a project access token' }),
  expires_at: dateTime().nullable(),
  revoked_at: dateTime().nullable(),
};

const joinLink = z.object(joinLinkFields).meta({ id: 'JoinLink' });
export const joinLinkPage = page('JoinLinkPage', joinLink);

export const newJoinLink = z
  .object({
    ...joinLinkFields,
    join_url: z.string().meta({ description: 'Link to share; it contains the token and is shown only once' }),
  })
  .meta({ id: 'JoinLinkWithUrl' });

export const joinLinkBody = z
  .object({
    label: line(100).nullish().meta({ description: 'For the lists of the team only' }),
    expires_at: expiry()
      .meta({ description: 'Must be in the future. A date expires at the end of that day in UTC' })
      .nullish()
      .meta({ description: "If missing, the link doesn't expire" }),
    max_people: z.int().min(1).max(MAX_PEOPLE).nullish(),
    email_domain: z.string().min(1).max(MAX_DOMAIN_LENGTH).nullish().meta({ example: 'example.com' }),
  })
  .meta({ id: 'JoinLinkRequest' });

export const inJoinLinkPath = z.object({ channel_id: id(), join_link_id: id() });
/** Not validated: every unknown token gets the same page. */
export const inJoinTokenPath = z.object({ token: z.string().max(200) });

export type JoinLink = z.input<typeof joinLink>;
export type NewJoinLink = z.input<typeof newJoinLink>;
export type CreateJoinLink = z.output<typeof joinLinkBody>;
