// Repeats requests to Azure after temporary failures.
import { setTimeout as wait } from 'node:timers/promises';
import { type RetryOptions, TEMPORARY_STATUSES } from '../s3/client.ts';
import type { WireAnswer } from '../s3/transport.ts';

const RETRIES: RetryOptions = { attempts: 3, pauseMs: 200, budgetMs: 10_000 };
const MAX_RETRY_AFTER_MS = 2_000;

/** A response that isn't the expected one. */
export class AzureRefusal extends Error {
  /** Who responded: the service that issues tokens, or the storage. */
  readonly service: 'entra' | 'storage';
  readonly status: number;
  /** The service's own code; '' if the response has none. */
  readonly code: string;

  constructor(service: 'entra' | 'storage', status: number, code: string, message: string) {
    super(`${status}${code === '' ? '' : ` ${code}`}${message === '' ? '' : `: ${message}`}`);
    this.name = 'AzureRefusal';
    this.service = service;
    this.status = status;
    this.code = code;
  }
}

/** Whether the same request may succeed soon. A lost connection or an unreadable response is temporary too. */
export function isTemporary(error: unknown): boolean {
  return !(error instanceof AzureRefusal) || TEMPORARY_STATUSES.has(error.status);
}

/**
 * Calls `attempt` until it returns, and throws its last error. `attempt` reports the response by `note` before it throws,
 * because the service may say how long to wait.
 */
export async function repeat<T>(
  attempt: (note: (answer: WireAnswer) => void) => Promise<T>,
  options: Partial<RetryOptions> | undefined,
): Promise<T> {
  const { attempts, pauseMs, budgetMs } = { ...RETRIES, ...options };
  const startedAt = performance.now();
  for (let count = 1; ; count += 1) {
    let retryAfter: string | undefined;
    try {
      return await attempt((answer) => {
        retryAfter = answer.headers['retry-after'];
      });
    } catch (error) {
      const given = /^\d{1,3}$/.test(retryAfter ?? '') ? Number(retryAfter) * 1000 : 0;
      const most = pauseMs * 2 ** (count - 1);
      const pause = Math.min(given, MAX_RETRY_AFTER_MS) + most / 2 + (Math.random() * most) / 2;
      const isLate = performance.now() - startedAt + pause > budgetMs;
      if (!isTemporary(error) || count >= attempts || isLate) throw error;
      await wait(pause);
    }
  }
}

/** Returns a text of a service as one short line of printable characters. */
export function tidy(text: string, maxCharacters = 300): string {
  const line = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\s]+/gu, ' ')
    .trim();
  return [...line].slice(0, maxCharacters).join('');
}
