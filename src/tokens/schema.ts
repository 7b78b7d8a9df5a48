// Wire shapes of project access tokens.
import { dateTime, id, nameLine, page } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { projectRole } from '../projects/schema.ts';
import { expiry } from './expiry.ts';

export const projectAccessToken = z
  .object({
    identifier: id(),
    organization_id: id(),
    project_id: id(),
    name: z.string(),
    role: projectRole,
    created_at: dateTime(),
    created_by: id().nullable().meta({ description: 'Creating developer; null if the account was deleted' }),
    owner_id: id().nullable().meta({
      description:
        'Developer whose current role in the project limits the token: its creator, or the admin who took it over',
    }),
    effective_role: projectRole.nullable().meta({
      description:
        "The lower of `role` and the owner's role; null if the owner has no access and the token doesn't work",
    }),
    expires_at: dateTime().nullable(),
    rotated_at: dateTime().nullable().meta({ description: 'Time of the last rotation' }),
    revoked_at: dateTime().nullable(),
    last_used_at: dateTime().nullable(),
  })
  .meta({ id: 'ProjectAccessToken' });

export const projectAccessTokenWithSecret = projectAccessToken
  .extend({ token: z.string().meta({ description: 'Secret of the token, shown only once' }) })
  .meta({ id: 'ProjectAccessTokenWithSecret' });

export const projectAccessTokenPage = page('ProjectAccessTokenPage', projectAccessToken);

export const projectAccessTokenInput = z
  .object({
    name: nameLine(100),
    role: projectRole,
    expires_at: expiry().nullish(),
  })
  .meta({ id: 'ProjectAccessTokenInput' });

export const inTokenPath = z.object({ token_id: id() });

export type ProjectAccessToken = z.input<typeof projectAccessToken>;
export type ProjectAccessTokenWithSecret = z.input<typeof projectAccessTokenWithSecret>;
export type ProjectAccessTokenInput = z.output<typeof projectAccessTokenInput>;
