// Wire shapes of personal access tokens and their scopes.
import { z } from 'zod';
import { dateTime, id, line, page } from '../../lib/shapes.ts';
import { ALL_SCOPES, type Scope, scopeNames, scopes } from '../../permissions.ts';
import { expiry } from '../expiry.ts';

const WHOLE_NUMBER = /^(?:0|-?[1-9]\d{0,39})$/;
const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): unknown };

const SCOPE_VALUES = scopeNames.map((name) => `${name} ${scopes[name]}`).join(', ');

/** Scope bits as a JSON number with all its digits, also where a JavaScript number would lose some. */
const scopeBits = () =>
  z
    .bigint()
    .transform((bits) => rawJSON(String(bits)))
    .meta({ type: 'integer', format: 'int64' });

/** Scope bits as they are sent: a JSON number, or its digits as a string. Which numbers mean something is a rule of the service. */
const scopeBitsInput = () =>
  z
    .unknown()
    .transform((value, { issues }) => {
      if (typeof value === 'bigint') return value;
      // A number past 2^53 has lost digits on its way, so it cannot be one that means something; as a bigint it says so.
      if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
      if (typeof value === 'string' && WHOLE_NUMBER.test(value)) return BigInt(value);
      issues.push({ code: 'invalid_type', expected: 'int', input: value });
      return z.NEVER;
    })
    .meta({
      anyOf: [
        { type: 'integer', format: 'int64', minimum: 0 },
        { type: 'string', pattern: '^(0|[1-9][0-9]*)$' },
      ],
      description: `Sum of the scopes' values (${SCOPE_VALUES}), or ${ALL_SCOPES} for all there are and will be; digits as a string are taken too`,
      example: 11,
    });

const personalAccessTokenFields = {
  identifier: id(),
  organization_id: id(),
  developer_id: id(),
  name: z.string(),
  scopes: scopeBits().meta({
    description: `Sum of the scopes' values; ${ALL_SCOPES} is all of them and more than a double holds`,
  }),
  created_at: dateTime(),
  expires_at: dateTime().nullable(),
  rotated_at: dateTime().nullable().meta({ description: 'When its secret was last exchanged' }),
  revoked_at: dateTime().nullable(),
  last_used_at: dateTime().nullable(),
};

const personalAccessToken = z.object(personalAccessTokenFields).meta({ id: 'PersonalAccessToken' });

export const personalAccessTokenWithSecret = personalAccessToken
  .extend({ token: z.string().meta({ description: 'The secret; shown this once and kept nowhere' }) })
  .meta({ id: 'PersonalAccessTokenWithSecret' });

export const personalAccessTokenPage = page('PersonalAccessTokenPage', personalAccessToken);

const ownedPersonalAccessToken = personalAccessToken
  .extend({
    developer_email: z.string(),
    developer_name: z.string(),
    is_member: z
      .boolean()
      .meta({ description: 'The owner is in the organization; without that the token can do nothing' }),
  })
  .meta({ id: 'OwnedPersonalAccessToken' });

export const ownedPersonalAccessTokenPage = page('OwnedPersonalAccessTokenPage', ownedPersonalAccessToken);

export const personalAccessTokenInput = z
  .object({ name: line(100), scopes: scopeBitsInput(), expires_at: expiry().nullish() })
  .meta({ id: 'PersonalAccessTokenInput', required: ['name', 'scopes'] });

const scopeFlags = Object.fromEntries([...scopeNames, 'ALL' as const].map((name) => [name, z.boolean()])) as Record<
  Scope | 'ALL',
  z.ZodBoolean
>;

export const grantableScopes = z
  .object({
    ceiling: scopeBits().meta({ description: 'The greatest value that scopes may have' }),
    scopes: z.object(scopeFlags).meta({ description: 'Whether each scope may be granted' }),
  })
  .meta({ id: 'GrantableScopes' });

export const inPersonalTokenPath = z.object({ pat_id: id() });

export type PersonalAccessToken = z.input<typeof personalAccessToken>;
export type PersonalAccessTokenWithSecret = z.input<typeof personalAccessTokenWithSecret>;
export type OwnedPersonalAccessToken = z.input<typeof ownedPersonalAccessToken>;
export type PersonalAccessTokenInput = z.output<typeof personalAccessTokenInput>;
export type GrantableScopes = z.input<typeof grantableScopes>;
