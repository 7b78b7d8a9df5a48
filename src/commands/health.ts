// taxiway health: asks the server on this machine whether it's ready, for health checks of containers without a shell.
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { Command } from 'commander';
import type { Config } from '../config.ts';
import { codeOf } from '../lib/error-code.ts';
import { describeFailure, Refusal } from '../lib/failure.ts';
import { hostnameOf } from '../lib/url-host.ts';
import * as z from '../lib/zod.ts';
import { addConfigOption, type ConfigOptions, loadCommandConfig } from './configuration.ts';
import { type CommandHost, plainText } from './host.ts';

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 64 * 1024;
/** Addresses to listen on that aren't addresses to connect to. */
const OWN_ADDRESSES: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

const answer = z.object({
  status: z.string(),
  checks: z.record(z.string(), z.object({ ok: z.boolean(), detail: z.string() })),
});

const EXAMPLES = `
Example:
  taxiway health --config /etc/taxiway/config.toml

The exit code is 0 if the server on this machine is ready, and 1 otherwise. It reads only the configuration.
`;

export function buildHealthCommand(host: CommandHost): Command {
  return addConfigOption(new Command('health'))
    .description('Asks the running server whether database, storage and disk are ready.')
    .option('--json', 'print the response of the server as JSON')
    .addHelpText('after', EXAMPLES)
    .action((options: ConfigOptions & { json?: boolean }) => health(host, options));
}

async function health(host: CommandHost, options: ConfigOptions & { json?: boolean }): Promise<void> {
  const { server } = loadCommandConfig(host, options);
  if (server.port === 0) throw new Refusal('server.port is 0, so the address of the server is unknown');
  const address = OWN_ADDRESSES[server.host] ?? server.host;
  const text = await read(server, address).catch((error: unknown) => {
    const place = `port ${server.port} of ${address}`;
    const isUnused = codeOf(error) === 'ECONNREFUSED';
    throw new Refusal(
      isUnused
        ? `nothing listens on ${place}; start the server, or name its configuration with --config`
        : `no response from ${place}: ${describeFailure(error)}`,
    );
  });
  const found = answer.safeParse(parseJson(text));
  if (!found.success) throw new Refusal(`port ${server.port} of ${address} belongs to another program`);
  const { status, checks } = found.data;
  host.print(options.json === true ? `${JSON.stringify(found.data, null, 2)}\n` : `${plainText(status)}\n`);
  if (status === 'ready') return;
  const failed = Object.entries(checks).filter(([, { ok }]) => !ok);
  throw new Refusal(`not ready: ${failed.map(([name, { detail }]) => plainText(`${name}: ${detail}`)).join('; ')}`);
}

async function read({ base_url: baseUrl, port, tls }: Config['server'], address: string): Promise<string> {
  const isSecure = tls.mode !== 'off';
  const { request } = isSecure ? await import('node:https') : await import('node:http');
  const name = hostnameOf(baseUrl);
  // Whether phones trust the certificate is for `taxiway check`. This asks the own machine, with nothing secret.
  const trust = isSecure ? { rejectUnauthorized: false, ...(isIP(name) === 0 ? { servername: name } : {}) } : {};
  const options = { host: address, port, path: '/health/ready', agent: false, signal: AbortSignal.timeout(TIMEOUT_MS) };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request({ ...options, ...trust }, resolve);
    sent.on('error', reject);
    sent.end();
  });
  let text = '';
  response.setEncoding('utf8');
  for await (const chunk of response) {
    text += chunk;
    if (text.length > MAX_BYTES) return '';
  }
  return text;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
