// The signature of a delivery (docs/specification/webhooks.md#signature).
import { createHmac } from 'node:crypto';

/** Returns `sha256=` and the HMAC-SHA256 in hex over the timestamp, a dot and the raw body, with the secret as key. */
export function signBody(secret: string, timestamp: string, body: Buffer): string {
  return `sha256=${createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')}`;
}
