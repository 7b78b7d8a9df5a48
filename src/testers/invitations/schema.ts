// Wire shapes of invitations into channels.
import { emailAddress } from '../../developers/schema.ts';
import { dateTime, id, page } from '../../lib/shapes.ts';
import * as z from '../../lib/zod.ts';

const invitationFields = {
  identifier: id(),
  organization_id: id(),
  project_id: id(),
  channel_id: id(),
  email: z.string().nullable().meta({ description: 'Invited address; null if anyone with the link can accept' }),
  invited_at: dateTime(),
  expires_at: dateTime(),
  invited_by_developer_id: id().nullable().meta({ description: 'Null for a project access token' }),
  accepted_at: dateTime().nullable(),
  accepted_by_developer_id: id().nullable(),
};

const channelInvite = z.object(invitationFields).meta({ id: 'ChannelInviteItem' });
export const channelInvitePage = page('ChannelInvitePage', channelInvite);

export const newChannelInvite = z
  .object({
    ...invitationFields,
    invite_token: z.string().nullable().meta({ description: 'Shown only once' }),
    invite_url: z.string().meta({ description: 'Link to share; it contains the token' }),
  })
  .meta({ id: 'ChannelTesterInvite' });

export const channelInviteBody = z
  .object({
    email: emailAddress().nullish().meta({
      description:
        'Gets the link by email, and is the only address that can accept. If missing, anyone with the link can accept',
    }),
  })
  .meta({ id: 'ChannelTesterInviteRequest' });

export const channelInvitePreview = z
  .object({
    organization_id: id(),
    organization_name: z.string(),
    project_id: id(),
    project_name: z.string(),
    channel_id: id(),
    channel_name: z.string(),
    expires_at: dateTime(),
  })
  .meta({ id: 'ChannelInvitePreview' });

export const acceptedChannelInvite = z
  .object({ organization_id: id(), project_id: id(), channel_id: id() })
  .meta({ id: 'AcceptedChannelInvite' });

export const inInvitePath = z.object({ invite_id: id() });
export const inInviteTokenPath = z.object({ token: z.string().max(200) });

export type ChannelInvite = z.input<typeof channelInvite>;
export type NewChannelInvite = z.input<typeof newChannelInvite>;
export type ChannelInvitePreview = z.input<typeof channelInvitePreview>;
export type AcceptedChannelInvite = z.input<typeof acceptedChannelInvite>;

/** The same for invitations into organizations and projects. */
export const acceptInput = z.object({ invite_token: z.string().min(1).max(200) }).meta({ id: 'InvitationAcceptance' });
