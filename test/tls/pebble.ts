// Starts a real certificate authority that speaks ACME, with a name server of its own: every name leads to this machine.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { findFreePort } from '../../scripts/lib/ports.ts';
import { issueLeaf, makeAuthority } from '../../src/certificates/x509.ts';
import { gatherOutput, type Output } from '../support/child.ts';
import { waitForPort, waitUntil } from './ports.ts';

const PROGRAMS = ['pebble', 'pebble-challtestsrv'];

/** Why it cannot be started here, or undefined when it can. */
export function whyNoPebble(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const missing = PROGRAMS.find((name) => !folders.some((folder) => existsSync(join(folder, name))));
  return missing && `${missing} is not installed`;
}

export interface Pebble {
  directory: string;
  /** PEM of the root that its certificates lead to; another one after each start. */
  readRoot(): Promise<string>;
  /** Where every name leads to from now on. */
  pointNamesTo(address: string): Promise<void>;
  /** Ends it and starts it again: it has forgotten everything. */
  restart(): Promise<void>;
  log(): string;
  stop(): void;
}

export interface PebbleOptions {
  /** Ports at which it looks for challenges. */
  httpPort: number;
  tlsPort: number;
  validityDays?: number;
  env?: Record<string, string>;
}

/** Starts it on free ports; this process trusts its address from then on. */
export async function startPebble({ httpPort, tlsPort, validityDays = 90, env = {} }: PebbleOptions): Promise<Pebble> {
  const folder = mkdtempSync(join(tmpdir(), 'taxiway-acme-'));
  const [port, managementPort, dnsPort, namesPort] = await Promise.all([
    findFreePort(),
    findFreePort(),
    findFreePort(),
    findFreePort(),
  ]);
  await certifyAddress(folder);
  const settings = {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${managementPort}`,
    certificate: join(folder, 'cert.pem'),
    privateKey: join(folder, 'key.pem'),
    httpPort,
    tlsPort,
    certificateValidityPeriod: validityDays * 86_400,
  };
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ pebble: settings }));
  const names = spawn('pebble-challtestsrv', [
    ...['-dns01', `127.0.0.1:${dnsPort}`, '-management', `127.0.0.1:${namesPort}`],
    ...['-http01', '', '-https01', '', '-tlsalpn01', '', '-defaultIPv6', ''],
  ]);
  const printed: Output[] = [gatherOutput(names)];
  const directory = `https://127.0.0.1:${port}/dir`;
  let authority: ChildProcess | undefined;

  async function start(): Promise<void> {
    authority = spawn('pebble', ['-config', join(folder, 'config.json'), '-dnsserver', `127.0.0.1:${dnsPort}`], {
      env: { ...process.env, PEBBLE_VA_NOSLEEP: '1', ...env },
    });
    printed.push(gatherOutput(authority));
    await waitForPort(port);
    await waitUntil(async () => (await fetch(directory)).ok);
  }

  const tell = (path: string, body: unknown) =>
    fetch(`http://127.0.0.1:${namesPort}${path}`, { method: 'POST', body: JSON.stringify(body) });
  await waitForPort(namesPort);
  await waitUntil(async () => (await tell('/set-default-ipv4', { ip: '127.0.0.1' })).ok);
  await start();
  return {
    directory,
    readRoot: async () => (await fetch(`https://127.0.0.1:${managementPort}/roots/0`)).text(),
    async pointNamesTo(ip) {
      await tell('/set-default-ipv4', { ip });
    },
    async restart() {
      authority?.kill('SIGKILL');
      await start();
    },
    log: () => printed.map(({ stdout, stderr }) => stdout + stderr).join(''),
    stop() {
      authority?.kill('SIGKILL');
      names.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A certificate for its own address, from an authority that this process trusts. */
async function certifyAddress(folder: string): Promise<void> {
  const validity = { notBefore: new Date(Date.now() - 3_600_000), notAfter: new Date(Date.now() + 86_400_000) };
  const root = await makeAuthority('ACME test', ['127.0.0.1'], validity);
  const leaf = await issueLeaf(root, {
    commonName: 'ACME test',
    use: 'server',
    names: ['127.0.0.1'],
    keyKind: 'ecdsa',
    validity,
  });
  setDefaultCACertificates([...getCACertificates('default'), root.certificate]);
  writeFileSync(join(folder, 'cert.pem'), leaf.certificate);
  writeFileSync(join(folder, 'key.pem'), leaf.privateKey);
}
