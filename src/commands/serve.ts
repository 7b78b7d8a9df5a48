// taxiway serve: migrates, then serves until it is told to stop.
import { X509Certificate } from 'node:crypto';
import { Command } from 'commander';
import type { Config } from '../config.ts';
import type { App } from '../core/context.ts';
import { MINUTE } from '../lib/clock.ts';
import { withProgramName } from '../lib/program-name.ts';
import type { Server } from '../server.ts';
import { addConfigOption, type ConfigOptions, loadCommandConfig } from './configuration.ts';
import type { CommandHost } from './host.ts';
import { explainFailure } from './open-app.ts';
import { printSetupLink } from './setup-link.ts';

const STOP_DEADLINE_MS = 9_500;
/** How often the server looks whether it needs a new setup link. */
const SETUP_CHECK_MS = MINUTE;
const EVERY_ADDRESS = new Set(['::', '0.0.0.0']);
/** SIGHUP comes from a terminal that closes. */
const STOP_SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;
type StopSignal = keyof typeof STOP_SIGNALS;
/** Messages that nobody reads don't keep a stopped server alive for longer. */
const MESSAGES_PATIENCE_MS = 1_000;

const EXAMPLES = `
Examples:
  taxiway serve
  TAXIWAY_SERVER__PORT=9000 taxiway serve --config /etc/taxiway/config.toml
`;

export function buildServeCommand(host: CommandHost): Command {
  return addConfigOption(new Command('serve'))
    .description(
      'Migrates the database, then serves. Until it is set up, prints a link that creates the first administrator.',
    )
    .addHelpText('after', EXAMPLES)
    .action((options: ConfigOptions) => serve(forPeople(host), loadCommandConfig(host, options)));
}

/** A server prints messages only, so what it prints names commands as they have to be typed here. */
function forPeople(host: CommandHost): CommandHost {
  return { ...host, print: (text) => host.print(withProgramName(text, host.program)) };
}

async function serve(host: CommandHost, config: Config): Promise<void> {
  const { createServer } = await import('../server.ts');
  const server = await explainFailure(config, () => createServer(config, { onDatabaseUnsafe: endUnsafe(host) }));
  dieOnUncaught(server.app);
  const stopped = stopOnSignal(server, host);
  let stopOffering = () => {};
  try {
    await explainFailure(config, () => server.start());
    const { base_url: baseUrl, host: address, tls } = server.app.config.server;
    const everywhere = EVERY_ADDRESS.has(address) ? ' and every other address of this machine' : '';
    host.print(`Taxiway listens on ${server.url}${everywhere}\n`);
    if (baseUrl !== server.url) host.print(`Links point to ${baseUrl}\n`);
    if (tls.mode === 'internal') await offerTrust(host, server.app);
    stopOffering = await offerSetup(host, server.app);
  } catch (error) {
    await server.stop();
    throw error;
  }
  await stopped.finally(() => stopOffering());
}

/** Where phones come to trust the server's own authority, and what they compare it by. */
async function offerTrust(host: CommandHost, app: App): Promise<void> {
  const { loadAuthority } = await import('../certificates/authority.ts');
  const { fingerprint256 } = new X509Certificate((await loadAuthority(app)).certificate);
  host.print(`Phones trust it once, by ${app.config.server.base_url}/trust, SHA-256 ${fingerprint256}\n`);
}

/**
 * Prints a setup link while the server waits for its setup, and another one whenever the last one has expired. Returns what
 * ends that.
 */
async function offerSetup(host: CommandHost, app: App): Promise<() => void> {
  const { createSetupLink, isSetupPending, renewSetupLink } = await import('../accounts/setup.ts');
  if (isSetupPending(app)) await printSetupLink(host, createSetupLink(app));
  const timer = setInterval(() => {
    try {
      const link = renewSetupLink(app);
      if (link !== undefined) void printSetupLink(host, link);
    } catch (error) {
      app.log.warn({ err: error }, 'setup link not renewed');
    }
  }, SETUP_CHECK_MS);
  return () => clearInterval(timer);
}

/** Settles after the first signal, when the server has stopped. A second signal ends the process at once. */
function stopOnSignal(server: Server, host: CommandHost): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let isStopping = false;
  const onSignal = (signal: StopSignal): void => {
    if (isStopping) process.exit(128 + STOP_SIGNALS[signal]);
    isStopping = true;
    host.say('Stopping: running requests are finished first. Once more stops at once.\n');
    // Not everything may have closed, but what was acknowledged is on disk already.
    setTimeout(() => process.exit(0), STOP_DEADLINE_MS).unref();
    server
      .stop()
      .finally(() => setTimeout(() => process.exit(), MESSAGES_PATIENCE_MS).unref())
      .then(resolve, reject);
  };
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal);
  return promise;
}

/** At once and without closing anything: that would write. */
function endUnsafe(host: CommandHost): (error: Error) => void {
  return (error) => {
    host.say(`taxiway: ${error.message}\n`);
    process.exit(1);
  };
}

/** After an exception that nobody caught nothing is certain: it is logged, and the process ends. */
function dieOnUncaught(app: App): void {
  process.on('uncaughtException', (error) => {
    app.log.fatal({ err: error }, 'uncaught exception');
    process.exit(1);
  });
}
