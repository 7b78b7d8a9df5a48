// Wire shapes of sessions.
import { dateTime, id, page } from '../lib/shapes.ts';
import { signInMethods } from '../lib/sign-in-methods.ts';
import * as z from '../lib/zod.ts';

const session = z
  .object({
    identifier: id(),
    device: z.string().nullable().meta({ example: 'Apple iPhone, iOS 17.4' }),
    browser: z.string().nullable().meta({ example: 'Safari 17.4' }),
    approximate_location: z.string().nullable().meta({
      description: '"private network" for private addresses, otherwise city and country if known',
      example: 'Berlin, Germany',
    }),
    ip_address: z.string().nullable(),
    sign_in_method: z.enum(signInMethods).nullable().meta({
      description: 'How the sign-in began, before a two-factor method; null if it is older than this field',
    }),
    created_at: dateTime(),
    last_used_at: dateTime(),
    expires_at: dateTime().meta({ description: 'Expiry, unless its refresh token is exchanged before' }),
    current: z.boolean().meta({ description: 'Whether it is the session of this request' }),
  })
  .meta({ id: 'Session' });

export const sessionPage = page('SessionPage', session);

export type Session = z.output<typeof session>;
