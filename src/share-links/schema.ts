// Wire shapes of share links.
import { password } from '../developers/schema.ts';
import { shareLinkStates } from '../install/share-link-states.ts';
import { dateTime, id, inProject, line, page, pageQuery } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { expiry } from '../tokens/expiry.ts';
import { MAX_INSTALLS, MAX_NOTE_LENGTH, MIN_PASSWORD_LENGTH } from './limits.ts';

const fields = {
  identifier: id(),
  organization_id: id(),
  project_id: id(),
  channel_id: id().nullable().meta({ description: 'Installs what is live on this channel; null for a build' }),
  build_id: id().nullable().meta({ description: 'Installs this build; null for a channel' }),
  note: z.string().nullable(),
  has_password: z.boolean(),
  expires_at: dateTime().nullable(),
  max_installs: z.int().nullable(),
  installs: z.int().meta({ description: 'Repeated downloads of a build in the same browser count once' }),
  state: z.enum(shareLinkStates).meta({ id: 'ShareLinkState' }),
  created_at: dateTime(),
  created_by: id().nullable().meta({
    description:
      'Developer whose role backs the link: its creator, or the owner of the project access token. Null for a deleted account',
  }),
  revoked_at: dateTime().nullable(),
};

const shareLink = z.object(fields).meta({ id: 'ShareLink' });
export const shareLinkPage = page('ShareLinkPage', shareLink);

export const newShareLink = z
  .object({ ...fields, url: z.string().meta({ description: 'Link to share, shown only once' }) })
  .meta({ id: 'NewShareLink' });

export const shareLinkInput = z
  .object({
    channel_id: id().nullish().meta({ description: 'Either this or build_id is required' }),
    build_id: id().nullish(),
    note: line(MAX_NOTE_LENGTH).nullish().meta({ description: 'What the link is for, shown only to the team' }),
    expires_at: expiry().nullish(),
    max_installs: z.int().min(1).max(MAX_INSTALLS).nullish().meta({ description: 'Unlimited if missing' }),
    password: password()
      .min(MIN_PASSWORD_LENGTH)
      .nullish()
      .meta({ description: 'Required from visitors before they see anything about the app' }),
  })
  .meta({ id: 'ShareLinkInput' });

export const shareLinkQuery = z.object({
  ...inProject,
  channel_id: id().optional().meta({ description: 'Only links to this channel' }),
  build_id: id().optional().meta({ description: 'Only links to this build' }),
  ...pageQuery,
});

export const inShareLinkPath = z.object({ share_link_id: id() });

export type ShareLinkItem = z.input<typeof shareLink>;
export type NewShareLink = z.input<typeof newShareLink>;
export type ShareLinkInput = z.output<typeof shareLinkInput>;
