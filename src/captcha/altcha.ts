// ALTCHA: a proof of work, created and verified here without another service. Challenges are signed instead of stored.
// The single use of each is recorded.
import { createHmac } from 'node:crypto';
import type { App, Context } from '../core/context.ts';
import { MINUTE, SECOND } from '../lib/clock.ts';
import * as z from '../lib/zod.ts';
import { isSameSecret } from '../runtime/secrets.ts';
import { signFields } from '../runtime/signing.ts';
import { noteUsed } from '../second-factors/challenges.ts';

const LIFETIME_MS = 10 * MINUTE;
/** Hashes per attempt and the required start of the result: about 4096 attempts, less than a second on a phone. */
const COST = 50;
const KEY_PREFIX = '000';
const ALGORITHM = 'SHA-256';
const MAX_TEXT_LENGTH = 256;

const text = () => z.string().max(MAX_TEXT_LENGTH);

/** The solution in base64 of JSON. Its parameters must be exactly the signed ones. */
const payload = z.object({
  challenge: z.object({
    parameters: z.strictObject({
      algorithm: z.literal(ALGORITHM),
      cost: z.literal(COST),
      expiresAt: z.int(),
      keyLength: z.literal(32),
      keyPrefix: z.literal(KEY_PREFIX),
      nonce: text(),
      salt: text(),
    }),
    signature: text(),
  }),
  solution: z.object({ counter: z.int().min(0).max(0xffff_ffff), derivedKey: text() }),
});

type Payload = z.output<typeof payload>;

export interface AltchaChallenge {
  parameters: object;
  signature?: string;
}

/** Returns the signing key of challenges: from the configured secret, or else from the installation's own. */
function signingSecret({ config, secrets }: App): string {
  const { secret } = config.captcha;
  if (secret === '') return signFields(secrets.keyring, 'captcha', []);
  return createHmac('sha256', secret).update('taxiway captcha').digest('base64url');
}

async function loadAltcha() {
  const [{ createChallenge, verifySolution }, { deriveKey }] = await Promise.all([
    import('altcha-lib'),
    import('altcha-lib/algorithms/sha'),
  ]);
  return { createChallenge, verifySolution, deriveKey };
}

/** Returns a new challenge, valid for ten minutes and one use. */
export async function createAltchaChallenge(app: App): Promise<AltchaChallenge> {
  const { createChallenge, deriveKey } = await loadAltcha();
  return createChallenge({
    algorithm: ALGORITHM,
    cost: COST,
    keyPrefix: KEY_PREFIX,
    deriveKey,
    expiresAt: Math.floor((app.clock.time() + LIFETIME_MS) / SECOND),
    hmacSignatureSecret: signingSecret(app),
  });
}

/** Returns whether a token solves one of our challenges that is neither expired nor used, and marks it as used. */
export async function checkAltcha(ctx: Context, token: string): Promise<boolean> {
  const sent = payload.safeParse(readToken(token));
  if (!sent.success) return false;
  const { challenge } = sent.data;
  const expiresAt = challenge.parameters.expiresAt * SECOND;
  if (expiresAt <= ctx.clock.time()) return false;
  return (await isSolved(ctx, sent.data)) && noteUsed(ctx, 'captcha', `captcha ${challenge.signature}`, expiresAt);
}

/** The library would compare the expiry with the system's time, so it verifies the solution of the challenge without one. */
async function isSolved(app: App, { challenge, solution }: Payload): Promise<boolean> {
  const { parameters, signature } = challenge;
  const secret = signingSecret(app);
  if (!isSameSecret(signature, sign(parameters, secret))) return false;
  const { expiresAt: _expiresAt, ...endless } = parameters;
  const { verifySolution, deriveKey } = await loadAltcha();
  const { verified } = await verifySolution({
    challenge: { parameters: endless, signature: sign(endless, secret) },
    solution,
    deriveKey,
    hmacSignatureSecret: secret,
  });
  return verified;
}

/** Signs parameters as the library does: as JSON in alphabetical order, which is the order of the schema. */
function sign(parameters: object, secret: string): string {
  return createHmac('sha256', secret).update(JSON.stringify(parameters)).digest('hex');
}

function readToken(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token, 'base64').toString('utf8'));
  } catch {
    return undefined;
  }
}
