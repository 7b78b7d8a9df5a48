// The signature of the payment provider's webhooks. The SDK's own check isn't used: it reads the system clock instead of ours,
// tolerates 5 s, doesn't compare in constant time and accepts only one signature.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { SECOND } from '../lib/clock.ts';

/** A header has one signature, or one for each secret while a secret is being replaced. */
const MAX_SIGNATURES = 16;

interface SignedRequest {
  /** `ts=<seconds>;h1=<hex>`, with several h1 while a secret is being replaced. */
  header: string | undefined;
  /** The body exactly as it was sent. */
  body: Buffer;
  secret: string;
  /** Milliseconds since the epoch. */
  now: number;
  toleranceSeconds: number;
}

/** Whether the header signs the body with the secret, at a time within the tolerance. */
export function isSignedByPaddle({ header, body, secret, now, toleranceSeconds }: SignedRequest): boolean {
  const fields = (header ?? '').split(';').map((field) => field.trim().split('='));
  const times = fields.flatMap(([name, value]) => (name === 'ts' && value !== undefined ? [value] : []));
  const signatures = fields.flatMap(([name, value]) => (name === 'h1' && value !== undefined ? [value] : []));
  const [time] = times;
  if (secret === '' || time === undefined || times.length > 1 || !/^\d{1,12}$/.test(time)) return false;
  if (signatures.length === 0 || signatures.length > MAX_SIGNATURES) return false;
  if (Math.abs(now - Number(time) * SECOND) > toleranceSeconds * SECOND) return false;
  const expected = createHmac('sha256', secret).update(`${time}:`).update(body).digest();
  // Compares with each of them, so that the time doesn't depend on which one is right.
  return signatures.map((signature) => isSame(signature, expected)).includes(true);
}

function isSame(signature: string, expected: Buffer): boolean {
  return /^[0-9a-f]{64}$/i.test(signature) && timingSafeEqual(Buffer.from(signature, 'hex'), expected);
}
