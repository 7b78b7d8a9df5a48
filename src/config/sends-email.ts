// Whether the server sends email.
import type { Config } from './types.ts';

/** Returns whether emails are sent. With the transport `outbox`, they stay in the database for the operator. */
export function sendsEmail({ mail }: Pick<Config, 'mail'>): boolean {
  return mail.transport !== 'outbox';
}
