// Wire shapes of personal access tokens and their scopes.
import { dateTime, id, nameLine, page } from '../../lib/shapes.ts';
import * as z from '../../lib/zod.ts';
import { ALL_SCOPES, type Scope, scopeNames, scopes } from '../../permissions.ts';
import { expiry } from '../expiry.ts';

const WHOLE_NUMBER = /^(?:0|-?[1-9]\d{0,39})$/;
const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): unknown };

const SCOPE_VALUES = scopeNames.map((name) => `${name} ${scopes[name]}`).join(', ');

/** Scope bits as a JSON number with all digits, even if a JavaScript number would lose some. */
const scopeBits = () =>
  z
    .bigint()
    .transform((bits) => rawJSON(String(bits)))
    .meta({ type: 'integer', format: 'int64' });

/** Scope bits in a request: a JSON number, or its digits as a string. The service validates the value. */
const scopeBitsInput = () =>
  z
    .unknown()
    .transform((value, { issues }) => {
      if (typeof value === 'bigint') return value;
      // A number above 2^53 has already lost digits, so it can't be valid. Converted to a bigint it is rejected.
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
      description: `Sum of the scopes' values (${SCOPE_VALUES}), or ${ALL_SCOPES} for all current and future scopes. A string of digits is accepted too`,
      example: 11,
    });

const personalAccessTokenFields = {
  identifier: id(),
  organization_id: id(),
  developer_id: id(),
  name: z.string(),
  scopes: scopeBits().meta({
    description: `Sum of the scopes' values; ${ALL_SCOPES} means all of them and exceeds the precision of a double`,
  }),
  created_at: dateTime(),
  expires_at: dateTime().nullable(),
  rotated_at: dateTime().nullable().meta({ description: 'Time of the last rotation' }),
  revoked_at: dateTime().nullable(),
  last_used_at: dateTime().nullable(),
};

const personalAccessToken = z.object(personalAccessTokenFields).meta({ id: 'PersonalAccessToken' });

export const personalAccessTokenWithSecret = personalAccessToken
  .extend({ token: z.string().meta({ description: 'Secret of the token, shown only once' }) })
  .meta({ id: 'PersonalAccessTokenWithSecret' });

export const personalAccessTokenPage = page('PersonalAccessTokenPage', personalAccessToken);

const ownedPersonalAccessToken = personalAccessToken
  .extend({
    developer_email: z.string(),
    developer_name: z.string(),
    is_member: z
      .boolean()
      .meta({ description: "Whether the owner is a member of the organization. Otherwise the token doesn't work" }),
  })
  .meta({ id: 'OwnedPersonalAccessToken' });

export const ownedPersonalAccessTokenPage = page('OwnedPersonalAccessTokenPage', ownedPersonalAccessToken);

export const personalAccessTokenInput = z
  .object({ name: nameLine(100), scopes: scopeBitsInput(), expires_at: expiry().nullish() })
  .meta({ id: 'PersonalAccessTokenInput', required: ['name', 'scopes'] });

const scopeFlags = Object.fromEntries([...scopeNames, 'ALL' as const].map((name) => [name, z.boolean()])) as Record<
  Scope | 'ALL',
  z.ZodBoolean
>;

export const grantableScopes = z
  .object({
    ceiling: scopeBits().meta({ description: 'Highest possible value of scopes' }),
    scopes: z.object(scopeFlags).meta({ description: 'Whether each scope can be granted' }),
  })
  .meta({ id: 'GrantableScopes' });

export const inPersonalTokenPath = z.object({ pat_id: id() });

export type PersonalAccessToken = z.input<typeof personalAccessToken>;
export type PersonalAccessTokenWithSecret = z.input<typeof personalAccessTokenWithSecret>;
export type OwnedPersonalAccessToken = z.input<typeof ownedPersonalAccessToken>;
export type PersonalAccessTokenInput = z.output<typeof personalAccessTokenInput>;
export type GrantableScopes = z.input<typeof grantableScopes>;
