// API schemas of the basic account fields.
import { withAsciiDomain } from '../lib/email-domain.ts';
import { composed, nameLine } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { MAX_PASSWORD_LENGTH } from './password.ts';

// Besides spaces and control characters, characters that separate or enclose addresses in a mail header aren't allowed.
// A domain consists of labels separated by single dots and isn't an IP address: its last label has more than digits.
const ADDRESS =
  /^[^\s@\p{C}<>()[\]\\,;:"]{1,64}@(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)*(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/u;

const MAX_ADDRESS_LENGTH = 254;

/**
 * A normalized email address: trimmed, in lower case, with an ASCII domain, at most 254 characters (RFC 5321). Whether
 * it exists only shows by sending an email.
 */
export const emailAddress = () =>
  z
    .string()
    .trim()
    .overwrite(composed(MAX_ADDRESS_LENGTH))
    .toLowerCase()
    .overwrite(withAsciiDomain)
    .max(MAX_ADDRESS_LENGTH)
    .regex(ADDRESS, 'Input should be a valid email address')
    .meta({ example: 'dana@example.com' });

/**
 * A password in a request. The configuration sets the minimum length of new ones. Lone surrogates are rejected, because
 * all of them would have the same hash.
 */
export const password = () =>
  z
    .string()
    .min(1)
    .max(MAX_PASSWORD_LENGTH)
    .refine((text) => text.isWellFormed(), 'Input should be text without lone surrogates')
    .meta({ format: 'password' });

export const displayName = () => nameLine(100).meta({ example: 'Dana Reyes' });
