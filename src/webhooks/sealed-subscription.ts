// The encrypted values of a subscription.
import type { Context } from '../core/context.ts';
import type { SubscriptionRow } from './store.ts';

export const urlPurpose = (id: string) => `webhook url ${id}`;
export const secretPurpose = (id: string) => `webhook secret ${id}`;

/** Returns the decrypted URL and secret of a subscription. */
export function openSubscription(
  { secrets }: Pick<Context, 'secrets'>,
  row: Pick<SubscriptionRow, 'id' | 'sealedUrl' | 'sealedSecret'>,
): { url: string; secret: string } {
  return {
    url: secrets.decrypt(row.sealedUrl, urlPurpose(row.id)),
    secret: secrets.decrypt(row.sealedSecret, secretPurpose(row.id)),
  };
}
