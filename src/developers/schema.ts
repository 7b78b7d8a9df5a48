// Wire shapes of what an account is known by.
import { z } from 'zod';
import { withAsciiDomain } from '../lib/email-domain.ts';
import { line } from '../lib/shapes.ts';
import { LONGEST_PASSWORD } from './password.ts';

// Besides spaces and controls, what separates or wraps addresses in a mail header stays out. A domain is labels between single
// dots, none at its end, and no IP address: its last label has more than digits.
const ADDRESS =
  /^[^\s@\p{C}<>()[\]\\,;:"]{1,64}@(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)*(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/u;

/**
 * An e-mail address as it is kept: trimmed, in lower case, its domain in ASCII, at most 254 characters (RFC 5321). Whether
 * anybody reads it only a mail can show.
 */
export const emailAddress = () =>
  z
    .string()
    .trim()
    .normalize('NFC')
    .toLowerCase()
    .overwrite(withAsciiDomain)
    .max(254)
    .regex(ADDRESS, 'Input should be an e-mail address')
    .meta({ example: 'dana@example.com' });

/**
 * A password as it is sent; how long a new one must be is a rule of the configuration. Lone surrogates are no characters: all of
 * them would be hashed as the same one.
 */
export const password = () =>
  z
    .string()
    .min(1)
    .max(LONGEST_PASSWORD)
    .refine((text) => text.isWellFormed(), 'Input should be text without lone surrogates')
    .meta({ format: 'password' });

export const displayName = () => line(100).meta({ example: 'Dana Reyes' });
