// Passwords: argon2id in PHC strings. The number of concurrent hashes is limited, so that many sign-ins can't exhaust
// the memory.

import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { definePart } from '../core/parts.ts';
import { createConcurrencyLimit, createKeyedConcurrencyLimit } from '../lib/concurrency-limit.ts';
import { AppError } from '../lib/errors.ts';

/** The cost of a hash. `memory` is in KiB. */
export interface PasswordCost {
  memory: number;
  passes: number;
  parallelism: number;
}

/** Cost in production: 19 MiB, two passes, one lane (OWASP Password Storage, argon2id). */
export const PRODUCTION_COST: PasswordCost = { memory: 19_456, passes: 2, parallelism: 1 };
const TAG_BYTES = 32;
const SALT_BYTES = 16;
const VERSION = 19;
/** Limits for computing a stored hash. Hashes beyond them weren't written by this program. */
const MAX_MEMORY = 1_048_576;
const MAX_PASSES = 64;
const MAX_WAITING = 500;
/** Concurrent attempts for one account. Each of them passes before the others are counted. */
const MAX_PER_ACCOUNT = 4;

/** Longest accepted password, in characters. */
export const MAX_PASSWORD_LENGTH = 1024;

export interface Passwords {
  /**
   * Returns a PHC string with a new salt, or with salt and cost of `like`, so that equal passwords have equal strings. Throws
   * `rate_limit_exceeded` if too many hashes are waiting.
   */
  hash(password: string, like?: string): Promise<string>;
  /**
   * Returns whether a password matches a PHC string. For `null`, an account that doesn't exist or has no password, the
   * same work is done and the result is false.
   */
  verify(password: string, stored: string | null): Promise<boolean>;
  /**
   * Limits the concurrent work for one subject, such as an attempt from its admission until it is counted. Throws
   * `rate_limit_exceeded` if too many are waiting.
   */
  inTurn<T>(subject: string, work: () => Promise<T>): Promise<T>;
  /** Does the work for one subject one at a time, with the same error. */
  oneByOne<T>(subject: string, work: () => Promise<T>): Promise<T>;
  /** Returns whether a PHC string has a lower cost than the current one, so that it is replaced at the next sign-in. */
  needsRehash(stored: string): boolean;
}

interface Parsed {
  memory: number;
  passes: number;
  parallelism: number;
  salt: Buffer;
  tag: Buffer;
}

const PHC = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{16,172})$/;

function parsePhc(stored: string): Parsed | undefined {
  const match = PHC.exec(stored);
  if (match === null) return undefined;
  const [, memory = '', passes = '', parallelism = '', salt = '', tag = ''] = match;
  const parsed = {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
  const isWithinBounds =
    parsed.parallelism >= 1 &&
    parsed.passes >= 1 &&
    parsed.passes <= MAX_PASSES &&
    parsed.memory >= 8 * parsed.parallelism &&
    parsed.memory <= MAX_MEMORY;
  return isWithinBounds ? parsed : undefined;
}

function bareBase64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}

function derive(password: string, { memory, passes, parallelism, salt, tag }: Parsed): Promise<Buffer> {
  const parameters = {
    message: password.normalize('NFC'),
    nonce: salt,
    parallelism,
    memory,
    passes,
    tagLength: tag.length,
  };
  return new Promise((resolve, reject) => {
    argon2('argon2id', parameters, (error, key) => (error === null ? resolve(key) : reject(error)));
  });
}

function tooManyAtOnce(): AppError {
  return new AppError('rate_limit_exceeded', 'Too many concurrent sign-ins. Try again', {}, { 'retry-after': '5' });
}

export interface PasswordOptions {
  cost?: PasswordCost | undefined;
  /** How many hashes run at the same time, each using the memory of `cost`. */
  concurrency?: number;
}

/** Creates the password hashing of a server. */
export function createPasswords(options: PasswordOptions = {}): Passwords {
  const { cost = PRODUCTION_COST, concurrency = Math.min(4, availableParallelism()) } = options;
  const bounds = { maxWaiting: MAX_WAITING, refusal: tooManyAtOnce };
  const gate = createConcurrencyLimit({ ...bounds, max: concurrency });
  const inTurn = createKeyedConcurrencyLimit({ ...bounds, max: MAX_PER_ACCOUNT });
  const oneByOne = createKeyedConcurrencyLimit({ ...bounds, max: 1 });

  function fresh(): Parsed {
    return { ...cost, salt: randomBytes(SALT_BYTES), tag: Buffer.alloc(TAG_BYTES) };
  }

  return {
    inTurn,
    oneByOne,
    async hash(password, like) {
      const parameters = (like === undefined ? undefined : parsePhc(like)) ?? fresh();
      const tag = await gate(() => derive(password, parameters));
      const { memory, passes, parallelism, salt } = parameters;
      return `$argon2id$v=${VERSION}$m=${memory},t=${passes},p=${parallelism}$${bareBase64(salt)}$${bareBase64(tag)}`;
    },
    async verify(password, stored) {
      const parsed = stored === null ? undefined : parsePhc(stored);
      const parameters = parsed ?? fresh();
      const key = await gate(() => derive(password, parameters));
      // A lone surrogate is hashed like U+FFFD, so different passwords would be equal.
      return parsed !== undefined && password.isWellFormed() && timingSafeEqual(key, parsed.tag);
    },
    needsRehash(stored) {
      const parsed = parsePhc(stored);
      if (parsed === undefined) return true;
      const { memory, passes, parallelism, tag, salt } = parsed;
      return (
        memory < cost.memory ||
        passes < cost.passes ||
        parallelism < cost.parallelism ||
        tag.length < TAG_BYTES ||
        salt.length < SALT_BYTES
      );
    },
  };
}

/** Hashes and verifies the passwords of a server. */
export const passwordsOf = definePart<Passwords>({ open: () => createPasswords() });
