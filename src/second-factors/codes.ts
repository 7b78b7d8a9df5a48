// Codes typed by people: TOTP codes of an authenticator app (RFC 6238) and recovery codes. Each works once.
import type { Tx } from '../core/context.ts';
import { encodeBase32 } from './base32.ts';
import * as store from './store.ts';

/** RFC 4226 section 4, R6 recommends 160 bits. */
const TOTP_SECRET_BYTES = 20;
const STEP_SECONDS = 30;
const RECOVERY_CODES = 10;
/** 80 bits each: too many to guess even with the hashes, so a slow hash isn't needed. */
const RECOVERY_CODE_BYTES = 10;

/** The library that computes codes, loaded when it is first used. */
export type Otp = typeof import('otplib');
export const loadOtp = (): Promise<Otp> => import('otplib');

/** What the secret of an authenticator app is encrypted for. */
export const totpSecretPurpose = (developerId: string): string => `totp secret of ${developerId}`;

/**
 * Returns the six digits of a code, typed together or in two groups of three, with optional spaces around. Returns
 * undefined for anything else, such as other separators or digits of other scripts.
 */
function totpDigits(code: string): string | undefined {
  const [, first, second] = /^\s*([0-9]{3})[ \u00a0\u202f]?([0-9]{3})\s*$/.exec(code) ?? [];
  return first === undefined || second === undefined ? undefined : first + second;
}

/** Returns a typed recovery code without blanks and dashes. */
function bare(code: string): string {
  return code.replace(/[\s-]/g, '');
}

/** Creates a secret in base32. */
export function newTotpSecret({ secrets }: Pick<Tx, 'secrets'>): string {
  return encodeBase32(Buffer.from(secrets.token(), 'base64url').subarray(0, TOTP_SECRET_BYTES));
}

/** Encrypts a secret for one developer. */
export function sealTotpSecret(tx: Tx, developerId: string, secret: string): string {
  return tx.secrets.encrypt(secret, totpSecretPurpose(developerId));
}

/**
 * Returns the time step of a code: the current one, the previous or the next (RFC 6238 section 5.2), if it is later
 * than `lastStep`, unless the clock was ahead then. Returns undefined if the code doesn't match any of them.
 */
export function findTotpStep(
  otp: Otp,
  secret: string,
  code: string,
  { now, lastStep }: { now: number; lastStep: number },
): number | undefined {
  const token = totpDigits(code);
  const epoch = Math.floor(now / 1000);
  const latest = Math.floor(epoch / STEP_SECONDS) + 1;
  const usedStep = lastStep > latest + store.AHEAD_STEPS ? 0 : lastStep;
  // The library throws for a token of another length and for a last step in the future.
  if (token === undefined || usedStep > latest) return undefined;
  const result = otp.verifySync({
    secret,
    token,
    epoch,
    period: STEP_SECONDS,
    epochTolerance: STEP_SECONDS,
    afterTimeStep: usedStep,
  });
  return result.valid && 'timeStep' in result ? result.timeStep : undefined;
}

/** Returns the step of a code of this authenticator app, without using it. */
export function findStepOf(tx: Tx, otp: Otp, row: store.TotpRow, code: string): number | undefined {
  const secret = tx.secrets.decrypt(row.secretEncrypted, totpSecretPurpose(row.developerId));
  return findTotpStep(otp, secret, code, { now: tx.now, lastStep: row.lastStep });
}

/**
 * Uses a code of the account's confirmed authenticator app. Returns false if it is incorrect or its step was already
 * used.
 */
export function spendTotpCode(tx: Tx, otp: Otp, developerId: string, code: string): boolean {
  const row = store.findTotp(tx, developerId);
  if (row === undefined || row.confirmedAt === null) return false;
  const step = findStepOf(tx, otp, row, code);
  return step !== undefined && store.useTotpStep(tx, developerId, step);
}

/** Uses a recovery code. Returns false if it is incorrect or was already used. */
export function spendRecoveryCode(tx: Tx, developerId: string, code: string): boolean {
  return store.consumeRecoveryCode(tx, developerId, hashRecoveryCode(tx, code));
}

/** Uses a code of either kind: six digits are a TOTP code, anything else a recovery code. */
export function spendCode(tx: Tx, otp: Otp, developerId: string, code: string): boolean {
  return totpDigits(code) === undefined
    ? spendRecoveryCode(tx, developerId, code)
    : spendTotpCode(tx, otp, developerId, code);
}

function hashRecoveryCode(tx: Tx, code: string): string {
  return tx.secrets.hash(bare(code).toUpperCase());
}

/** Creates recovery codes that replace the previous ones. Only their hashes are stored. */
export function renewRecoveryCodes(tx: Tx, developerId: string): string[] {
  const codes = Array.from({ length: RECOVERY_CODES }, () => newRecoveryCode(tx));
  store.replaceRecoveryCodes(
    tx,
    developerId,
    codes.map((code) => hashRecoveryCode(tx, code)),
  );
  return codes;
}

/** `ABCD-EFGH-IJKL-MNOP` */
function newRecoveryCode(tx: Tx): string {
  const text = encodeBase32(Buffer.from(tx.secrets.token(), 'base64url').subarray(0, RECOVERY_CODE_BYTES));
  return (text.match(/.{4}/g) ?? []).join('-');
}
