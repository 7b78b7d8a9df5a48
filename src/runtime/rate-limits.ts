// Rate limits per class of requests, by network and by account. In memory and bounded.
import type { Config } from '../config.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { networkOf } from '../lib/network.ts';

export type RateLimitClass =
  | 'sign_in'
  | 'sign_up'
  | 'password_reset'
  | 'token_exchange'
  | 'api'
  | 'public'
  | 'sdk'
  | 'feedback'
  | 'emails'
  | 'payment_provider';

export interface RateLimits {
  /** Counts a request of a network. Throws `rate_limit_exceeded` with Retry-After if the limit is exceeded. */
  admitAddress(rateLimit: RateLimitClass, address: string | null): void;
  /** Counts a request of an account or project access token. Does nothing for other callers. */
  admitAccount(rateLimit: RateLimitClass, account: string | undefined): void;
}

/** Maximum number of tracked clients per class. Beyond it, the least recently seen are dropped. */
const MAX_CLIENTS = 20_000;
const MAX_NETWORKS = 2_000;

/** Returns the default class of an operation by its path, or undefined for unlimited paths. */
export function rateLimitOf(path: string): RateLimitClass | undefined {
  if (path.startsWith('/health/') || path === '/metrics') return undefined;
  if (path.startsWith('/sdk/')) return 'sdk';
  return path.startsWith('/api/') ? 'api' : 'public';
}

interface Meter {
  /** Counts one request. Returns how many milliseconds too early it is, or 0 if it's admitted. */
  take(client: string, now: number): number;
}

/**
 * Allows a burst of `requests`, and then as many per `periodMs`, evenly spaced (generic cell rate algorithm). Stores one number
 * per client: the time when its whole allowance is restored. Rejected requests don't count.
 */
function createMeter(requests: number, periodMs: number): Meter {
  const intervalMs = periodMs / requests;
  // Two generations: a client that wasn't seen for a whole period has its full allowance again and is dropped with the old one.
  let young = new Map<string, number>();
  let old = new Map<string, number>();
  let youngSince = 0;

  function renew(now: number): void {
    old = young;
    young = new Map();
    youngSince = now;
  }

  return {
    take(client, now) {
      if (young.size >= MAX_CLIENTS / 2 || now - youngSince >= periodMs || now < youngSince) renew(now);
      // After the clock was set back, no client has to wait for more than a period.
      const restored = Math.min(young.get(client) ?? old.get(client) ?? now, now + periodMs);
      const next = Math.max(restored, now) + intervalMs;
      const early = next - now - periodMs;
      // Half a millisecond of tolerance for rounding.
      const isAdmitted = early <= 0.5;
      young.set(client, isAdmitted ? next : restored);
      return isAdmitted ? 0 : early;
    },
  };
}

/** Creates the rate limits of one server. They admit everything if the configuration disables them. */
export function createRateLimits(config: Config['rate_limits'], clock: Clock): RateLimits {
  const { enabled, ...rates } = config;
  const meters = (): Record<RateLimitClass, Meter> => {
    const meter = (name: RateLimitClass) => createMeter(rates[name].requests, rates[name].per_seconds * 1000);
    return {
      sign_in: meter('sign_in'),
      sign_up: meter('sign_up'),
      password_reset: meter('password_reset'),
      token_exchange: meter('token_exchange'),
      api: meter('api'),
      public: meter('public'),
      sdk: meter('sdk'),
      feedback: meter('feedback'),
      emails: meter('emails'),
      payment_provider: meter('payment_provider'),
    };
  };
  const byAddress = meters();
  const byAccount = meters();
  // Parsing an IPv6 address costs more than the rest, and the same addresses recur.
  const networks = new Map<string, string>();

  function networkFor(address: string): string {
    let network = networks.get(address);
    if (network === undefined) {
      network = networkOf(address);
      if (networks.size >= MAX_NETWORKS) networks.clear();
      networks.set(address, network);
    }
    return network;
  }

  function take(meter: Meter, client: string): void {
    const early = meter.take(client, clock.time());
    if (early > 0) throw tooManyRequests(early);
  }

  return {
    admitAddress(rateLimit, address) {
      if (enabled) take(byAddress[rateLimit], address === null ? '' : networkFor(address));
    },
    admitAccount(rateLimit, account) {
      if (enabled && account !== undefined) take(byAccount[rateLimit], account);
    },
  };
}

/** Creates the error for a request that is `waitMs` too early. Retry-After is in whole seconds. */
export function tooManyRequests(waitMs: number, message?: string): AppError {
  return new AppError('rate_limit_exceeded', message, {}, { 'retry-after': String(Math.ceil(waitMs / 1000)) });
}
