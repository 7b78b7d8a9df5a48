// ALTCHA: a proof of work, made and checked here without any other service. A challenge is signed instead of stored; its one
// use is noted when it is spent.
import { createHmac } from 'node:crypto';
import { z } from 'zod';
import type { App, Context } from '../core/context.ts';
import { MINUTE, SECOND } from '../lib/clock.ts';
import { signFields } from '../runtime/signing.ts';
import { noteUsed } from '../second-factors/challenges.ts';

const LIFETIME_MS = 10 * MINUTE;
/** Hashes of one try, and the start of the result that is looked for: about 4096 tries, below a second on a phone. */
const COST = 50;
const KEY_PREFIX = '000';
const ALGORITHM = 'SHA-256';
const LONGEST_TEXT = 256;

const text = () => z.string().max(LONGEST_TEXT);

/** What a solver sends, in base64 of JSON. The parameters are exactly those that were signed. */
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

export interface AltchaChallenge {
  parameters: object;
  signature?: string;
}

/** The key that challenges are signed with: of the configured secret, else of the installation's own. */
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

/** A new challenge, good for ten minutes and one use. */
export async function createAltchaChallenge(app: App): Promise<AltchaChallenge> {
  const { createChallenge, deriveKey } = await loadAltcha();
  return createChallenge({
    algorithm: ALGORITHM,
    cost: COST,
    keyPrefix: KEY_PREFIX,
    deriveKey,
    expiresAt: Math.floor((app.clock.now().getTime() + LIFETIME_MS) / SECOND),
    hmacSignatureSecret: signingSecret(app),
  });
}

/** Whether a token is the solution of a challenge of ours that is neither expired nor used; uses it up. */
export async function checkAltcha(ctx: Context, token: string): Promise<boolean> {
  const sent = payload.safeParse(readToken(token));
  if (!sent.success) return false;
  const { challenge, solution } = sent.data;
  const expiresAt = challenge.parameters.expiresAt * SECOND;
  if (expiresAt <= ctx.clock.now().getTime()) return false;
  const { verifySolution, deriveKey } = await loadAltcha();
  const { verified } = await verifySolution({
    challenge,
    solution,
    deriveKey,
    hmacSignatureSecret: signingSecret(ctx),
  });
  return verified && noteUsed(ctx, 'captcha', `captcha ${challenge.signature}`, expiresAt);
}

function readToken(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token, 'base64').toString('utf8'));
  } catch {
    return undefined;
  }
}
