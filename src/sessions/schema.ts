// Wire shapes of sessions.
import { z } from 'zod';
import { dateTime, id, page } from '../lib/shapes.ts';

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
    created_at: dateTime(),
    last_used_at: dateTime(),
    expires_at: dateTime().meta({ description: 'Expiry, unless its refresh token is exchanged before' }),
    current: z.boolean().meta({ description: 'Whether it is the session of this request' }),
  })
  .meta({ id: 'Session' });

export const sessionPage = page('SessionPage', session);

export type Session = z.output<typeof session>;
