// How many requests of a class one client may make: by address, and by account where there is one. In memory, bounded.
import type { Config } from '../config.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { networkOf } from '../lib/network.ts';

export type RateLimitClass = 'sign_in' | 'sign_up' | 'password_reset' | 'token_exchange' | 'api' | 'public' | 'sdk';

export interface RateLimits {
  /** Counts a request of a network; throws rate_limit_exceeded with Retry-After when it is one too many. */
  admitAddress(rateLimit: RateLimitClass, address: string | null): void;
  /** Counts a request of an account, or of a project access token; nothing for callers who are neither. */
  admitAccount(rateLimit: RateLimitClass, account: string | undefined): void;
}

/** Clients that are remembered at once, for each class. Beyond them those that were longest away are forgotten. */
const MOST_CLIENTS = 20_000;
const MOST_NETWORKS = 2_000;

/** The class of an operation that names none, by its path; undefined for what is never limited. */
export function rateLimitOf(path: string): RateLimitClass | undefined {
  if (path.startsWith('/health/') || path === '/metrics') return undefined;
  if (path.startsWith('/sdk/')) return 'sdk';
  return path.startsWith('/api/') ? 'api' : 'public';
}

interface Meter {
  /** Takes one request; answers how many milliseconds it comes too early, 0 when it is admitted. */
  take(client: string, now: number): number;
}

/**
 * Lets a client make `requests` at once, and then as many in each `periodMs` as evenly spaced. One number for each client:
 * the moment when all it has used is given back (the generic cell rate algorithm). A refused request uses nothing up.
 */
function createMeter(requests: number, periodMs: number): Meter {
  const intervalMs = periodMs / requests;
  // Two generations: what was not touched for a whole period has everything back, and goes with the elder of them.
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
      if (young.size >= MOST_CLIENTS / 2 || now - youngSince >= periodMs || now < youngSince) renew(now);
      // A clock that was set back must not make anybody wait longer than a period.
      const restored = Math.min(young.get(client) ?? old.get(client) ?? now, now + periodMs);
      const next = Math.max(restored, now) + intervalMs;
      const early = next - now - periodMs;
      // Half a millisecond forgives the rounding of fractions.
      const isAdmitted = early <= 0.5;
      young.set(client, isAdmitted ? next : restored);
      return isAdmitted ? 0 : early;
    },
  };
}

/** The meters of one server; none when the configuration turns them off. */
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
    };
  };
  const byAddress = meters();
  const byAccount = meters();
  // Reading an address of IPv6 costs more than the rest, and the same ones come again and again.
  const networks = new Map<string, string>();

  function networkFor(address: string): string {
    let network = networks.get(address);
    if (network === undefined) {
      network = networkOf(address);
      if (networks.size >= MOST_NETWORKS) networks.clear();
      networks.set(address, network);
    }
    return network;
  }

  function take(meter: Meter, client: string): void {
    const early = meter.take(client, clock.now().getTime());
    if (early > 0) throw tooMany(early);
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

/** The refusal of what came `waitMs` too early; Retry-After in whole seconds. */
export function tooMany(waitMs: number, message?: string): AppError {
  return new AppError('rate_limit_exceeded', message, {}, { 'retry-after': String(Math.ceil(waitMs / 1000)) });
}
