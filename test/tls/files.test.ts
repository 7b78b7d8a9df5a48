// https with the operator's own files: loaded at the start, reloaded when they change, and kept if a change is invalid.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { issueLeaf, type MadeCertificate, makeAuthority } from '../../src/certificates/x509.ts';
import { DAY } from '../../src/lib/clock.ts';
import { createServer, type Server } from '../../src/server.ts';
import { migratedDatabase } from '../../src/testing/fixture.ts';
import { curl, inspectServer, run } from './clients.ts';
import { waitUntil } from './ports.ts';

const validity = { notBefore: new Date(Date.now() - DAY), notAfter: new Date(Date.now() + 90 * DAY) };
const { setInterval: startInterval } = globalThis;
let folder: string;
let root: MadeCertificate;
let server: Server | undefined;
let lines: string[];
/** Looks at the files, as the server does every two seconds. */
let look: () => void;

const at = (name: string) => join(folder, name);
const port = () => server?.app.config.server.port ?? 0;
const seen = async () => (await inspectServer(port(), 'localhost', root.certificate)).certificate?.trim();

async function issue(notAfter = validity.notAfter): Promise<MadeCertificate> {
  const period = { ...validity, notAfter };
  return issueLeaf(root, { commonName: 'x', use: 'server', names: ['localhost'], keyKind: 'ecdsa', validity: period });
}

/** When the certificate expires according to the metrics, in seconds. */
async function expiryInMetrics(): Promise<number> {
  const { stdout } = await curl(root.certificate, [`https://localhost:${port()}/metrics`]);
  return Number(/^taxiway_certificate_expiry_timestamp_seconds (\d+)$/m.exec(stdout)?.[1]);
}

function write({ certificate, privateKey }: MadeCertificate): void {
  writeFileSync(at('cert.pem'), certificate);
  writeFileSync(at('key.pem'), privateKey);
}

async function start(): Promise<Server> {
  const intervals = vi.spyOn(globalThis, 'setInterval').mockImplementation(((
    callback: () => void,
    milliseconds: number,
  ) => {
    if (milliseconds !== 2_000) return startInterval(callback, milliseconds);
    look = callback;
    return startInterval(() => undefined, milliseconds);
  }) as typeof setInterval);
  server = await createServer(
    {
      server: {
        port: 0,
        data_dir: at('data'),
        tls: { mode: 'files', cert_file: at('cert.pem'), key_file: at('key.pem') },
      },
      log: { level: 'silent' },
    },
    { isScheduleOff: true },
  );
  const { log } = server.app;
  log.error = (facts: unknown) => void lines.push(JSON.stringify(facts));
  await server.start();
  intervals.mockRestore();
  return server;
}

beforeAll(async () => {
  root = await makeAuthority('Files test', ['localhost'], validity);
});

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'taxiway-files-'));
  mkdirSync(at('data'));
  writeFileSync(at('data/taxiway.db'), migratedDatabase());
  lines = [];
});

afterEach(async () => {
  vi.restoreAllMocks();
  await server?.stop();
  server = undefined;
  rmSync(folder, { recursive: true });
});

describe('a server with tls.mode "files"', () => {
  it('uses the certificate of its files, and reloads both when they are replaced', async () => {
    const [first, second] = [await issue(), await issue()];
    write(first);
    await start();
    expect(await seen()).toBe(first.certificate.trim());
    write(second);
    look();
    await waitUntil(async () => (await seen()) === second.certificate.trim());
    expect(lines).toEqual([]);
  });

  it('sends intermediate certificates that are added to the file of the same certificate', async () => {
    const only = await issue();
    write(only);
    await start();
    const sent = async () =>
      (await inspectServer(port(), 'localhost', root.certificate, ['-showcerts'])).text.match(/BEGIN CERTIFICATE/g)
        ?.length;
    expect(await sent()).toBe(1);
    writeFileSync(at('cert.pem'), only.certificate + root.certificate);
    look();
    await waitUntil(async () => (await sent()) === 2);
  });

  it('follows a changed symbolic link, as renewal tools create them', async () => {
    const [first, second] = [await issue(), await issue()];
    for (const [name, made] of [
      ['1', first],
      ['2', second],
    ] as const) {
      mkdirSync(at(name));
      writeFileSync(at(`${name}/cert.pem`), made.certificate);
      writeFileSync(at(`${name}/key.pem`), made.privateKey);
    }
    symlinkSync('1', at('live'));
    symlinkSync('live/cert.pem', at('cert.pem'));
    symlinkSync('live/key.pem', at('key.pem'));
    await start();
    expect(await seen()).toBe(first.certificate.trim());
    symlinkSync('2', at('next'));
    renameSync(at('next'), at('live'));
    look();
    await waitUntil(async () => (await seen()) === second.certificate.trim());
  });

  it('keeps the last valid pair while only one file is replaced, shows why, and reloads the complete pair', async () => {
    const [first, second] = [await issue(), await issue()];
    write(first);
    await start();
    const broken: [() => void, string][] = [
      [() => writeFileSync(at('cert.pem'), second.certificate), `${at('key.pem')} is not the key of ${at('cert.pem')}`],
      [() => writeFileSync(at('cert.pem'), 'nothing'), `${at('cert.pem')} contains no certificate in PEM`],
      [
        () => writeFileSync(at('cert.pem'), second.certificate.slice(0, 300)),
        `${at('cert.pem')} contains no certificate in PEM`,
      ],
      [() => unlinkSync(at('cert.pem')), `${at('cert.pem')} can't be used: the file doesn't exist`],
    ];
    for (const [index, [breakIt, reason]] of broken.entries()) {
      breakIt();
      look();
      await waitUntil(() => lines.length === index + 1);
      expect(JSON.parse(lines[index] ?? '')).toEqual({ reason });
      expect(await seen()).toBe(first.certificate.trim());
    }
    // Nothing is said again while nothing changes.
    look();
    look();
    expect(await seen()).toBe(first.certificate.trim());
    expect(lines).toHaveLength(broken.length);
    write(second);
    look();
    await waitUntil(async () => (await seen()) === second.certificate.trim());
  });

  it('reports when the active certificate expires, not a new one that is unusable', async () => {
    const first = await issue();
    const later = new Date(validity.notAfter.getTime() + 90 * DAY);
    const second = await issue(later);
    write(first);
    await start();
    const seconds = (moment: Date) => Math.floor(moment.getTime() / 1_000);
    expect(await expiryInMetrics()).toBe(seconds(validity.notAfter));
    writeFileSync(at('cert.pem'), second.certificate);
    look();
    await waitUntil(() => lines.length === 1);
    expect(await expiryInMetrics()).toBe(seconds(validity.notAfter));
    expect(server?.app.https?.certificate()).toEqual({
      names: ['localhost'],
      startsAt: seconds(validity.notBefore) * 1_000,
      expiresAt: seconds(validity.notAfter) * 1_000,
    });
    write(second);
    look();
    await waitUntil(async () => (await expiryInMetrics()) === seconds(later));
  });

  it.each([
    [
      'no certificate',
      () => writeFileSync(at('key.pem'), root.privateKey),
      'cert.pem',
      "can't be used: the file doesn't exist",
    ],
    [
      'no key',
      () => writeFileSync(at('cert.pem'), root.certificate),
      'key.pem',
      "can't be used: the file doesn't exist",
    ],
    [
      'a key that is none',
      () => write({ certificate: root.certificate, privateKey: 'x' }),
      'key.pem',
      "can't be used: it contains no private key in PEM",
    ],
    [
      'a folder',
      () => {
        mkdirSync(at('cert.pem'));
        writeFileSync(at('key.pem'), 'x');
      },
      'cert.pem',
      "can't be used: it is a folder",
    ],
    [
      'a named pipe',
      () => {
        writeFileSync(at('cert.pem'), root.certificate);
        execFileSync('mkfifo', [at('key.pem')]);
      },
      'key.pem',
      "can't be used: it is a named pipe",
    ],
  ])('does not start with %s, and names the file', async (_, prepare, file, reason) => {
    prepare();
    await expect(start()).rejects.toThrow(`${at(file)} ${reason}`);
    server = undefined;
  });

  it('does not start with an encrypted key, and shows what to do', async () => {
    await run('openssl', ['genpkey', '-algorithm', 'RSA', '-aes256', '-pass', 'pass:x', '-out', at('key.pem')]);
    writeFileSync(at('cert.pem'), root.certificate);
    chmodSync(at('key.pem'), 0o600);
    await expect(start()).rejects.toThrow(
      `${at('key.pem')} can't be used: the key is encrypted; write it without a passphrase`,
    );
    server = undefined;
  });

  it('frees port and folder if it does not start', async () => {
    await expect(start()).rejects.toThrow();
    write(await issue());
    await start();
    expect((await inspectServer(port(), 'localhost', root.certificate)).verification).toBe('0 (ok)');
  });
});
