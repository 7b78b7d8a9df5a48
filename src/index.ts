// The package's main export: a server inside another program.
import type { Config, PartialConfig } from './config.ts';
import { clockFrom, type TimeSource } from './lib/clock.ts';
import { createServer as createOpenServer } from './server.ts';

export { type Config, ConfigError, loadConfig, type PartialConfig } from './config.ts';
export type { TimeSource as Clock } from './lib/clock.ts';

export interface ServerOptions {
  /** The server's clock. Default: the system clock. */
  clock?: TimeSource;
  /** Sends requests to services such as app stores and the captcha provider, but no webhooks. Default: the global `fetch`. */
  fetch?: typeof fetch;
}

export interface Server {
  /** The composed application. Opaque: its shape is internal and changes without notice. */
  app: object;
  /** The URL of the server, without a trailing slash. */
  url: string;
  /** The effective configuration. */
  config: Config;
  /** Starts listening and running jobs. Calls after the first do nothing. Throws after `stop`. */
  start(): Promise<void>;
  /** Finishes running requests (within 10 s), then closes everything. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Creates a server from a complete or partial configuration. `start` begins to listen. Port 0 is replaced with a free
 * port immediately, because links contain it. Throws ConfigError, DatabaseTooNewError or a system error.
 */
export async function createServer(
  config: Config | PartialConfig = {},
  { clock, fetch }: ServerOptions = {},
): Promise<Server> {
  const overrides = { ...(clock && { clock: clockFrom(clock) }), ...(fetch && { fetch }) };
  const { app, url, start, stop, [Symbol.asyncDispose]: dispose } = await createOpenServer(config, overrides);
  return { app, url, config: app.config, start, stop, [Symbol.asyncDispose]: dispose };
}
