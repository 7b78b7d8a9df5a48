// The findings of taxiway check about https, for each mode.
import { writeFileSync } from 'node:fs';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findFreePort } from '../../scripts/lib/ports.ts';
import { issueLeaf, type MadeCertificate, makeAuthority } from '../../src/certificates/x509.ts';
import { loadConfig } from '../../src/config.ts';
import { DAY } from '../../src/lib/clock.ts';
import { createServer } from '../../src/server.ts';
import { openWorkshop, type Workshop } from './test-host.ts';

interface Finding {
  name: string;
  status: string;
  detail: string;
}

let workshop: Workshop;
const inside = (path: string) => join(workshop.folder, path);

beforeEach(() => {
  workshop = openWorkshop();
});

afterEach(() => workshop[Symbol.dispose]());

function configure(text: string): void {
  writeFileSync(inside('config.toml'), `${text}\n[log]\nlevel = "silent"\n`);
}

/** The findings of these names, by one line each. */
async function check(...names: string[]): Promise<string[]> {
  const { stdout } = await workshop.run(['check', '--json']);
  const findings: Finding[] = JSON.parse(stdout);
  return findings.filter(({ name }) => names.includes(name)).map(({ status, detail }) => `${status}: ${detail}`);
}

function validity(from: number, to: number) {
  return { notBefore: new Date(Date.now() + from * DAY), notAfter: new Date(Date.now() + to * DAY) };
}

async function issue(name: string, from = -1, to = 90): Promise<MadeCertificate & { root: string }> {
  const root = await makeAuthority('Elsewhere', [name], validity(-400, 400));
  const request = { commonName: 'x', use: 'server', names: [name], keyKind: 'ecdsa' } as const;
  return { ...(await issueLeaf(root, { ...request, validity: validity(from, to) })), root: root.certificate };
}

const day = (days: number) => new Date(Date.now() + days * DAY).toISOString().slice(0, 10);
const FILES =
  '[server]\nbase_url = "https://builds.example.com"\n[server.tls]\nmode = "files"\ncert_file = "c.pem"\nkey_file = "k.pem"\n';

describe('files', () => {
  it.each<[string, [string, number?, number?], string]>([
    [
      'for another name fail',
      ['other.example.com'],
      'fail: CERT is for DNS:other.example.com, not for builds.example.com: get one for the host of server.base_url',
    ],
    ['that have expired fail', ['builds.example.com', -90, -1], `fail: CERT expired on ${day(-1)}: renew it`],
    ['that expire soon have a warning', ['builds.example.com', -80, 10], `warn: CERT expires on ${day(10)}: renew it`],
    ['that never have two weeks left pass', ['builds.example.com', -5, 3], `ok: CERT is valid until ${day(3)}`],
    [
      'that never have two weeks left have a warning in their last quarter',
      ['builds.example.com', -7, 1],
      `warn: CERT expires on ${day(1)}: renew it`,
    ],
    [
      'that are valid later fail',
      ['builds.example.com', 2, 90],
      `fail: CERT isn't valid before ${day(2)}: check the clock of this machine`,
    ],
    ['that are valid pass', ['builds.example.com'], `ok: CERT is valid until ${day(90)}`],
  ])('%s', async (_, [name, from, to], expected) => {
    const made = await issue(name, from, to);
    writeFileSync(inside('c.pem'), made.certificate);
    writeFileSync(inside('k.pem'), made.privateKey);
    configure(FILES);
    const [first] = await check('certificate');
    expect(first?.replace(inside('c.pem'), 'CERT')).toBe(expected);
  });

  it('from an authority that phones do not know, with and without the chain', async () => {
    const made = await issue('builds.example.com');
    writeFileSync(inside('c.pem'), made.certificate);
    writeFileSync(inside('k.pem'), made.privateKey);
    configure(FILES);
    const issuer = "warn: issued by CN=Elsewhere, which isn't trusted by all phones";
    expect((await check('certificate'))[1]).toBe(
      `${issuer}: append the intermediate certificates to server.tls.cert_file, or make every phone trust the issuer`,
    );
    writeFileSync(inside('c.pem'), made.certificate + made.root);
    expect((await check('certificate'))[1]).toBe(`${issuer}: phones that don't trust it can't install`);
  });

  it('that are missing or do not match', async () => {
    configure(FILES);
    expect(await check('certificate')).toEqual([`fail: ${inside('c.pem')} can't be used: the file doesn't exist`]);
    const [one, other] = [await issue('builds.example.com'), await issue('builds.example.com')];
    writeFileSync(inside('c.pem'), one.certificate);
    writeFileSync(inside('k.pem'), other.privateKey);
    expect(await check('certificate')).toEqual([`fail: ${inside('k.pem')} is not the key of ${inside('c.pem')}`]);
  });
});

describe('internal', () => {
  it('shows before the first start what will be created, and afterwards the fingerprint and that it is reachable', async () => {
    const port = await findFreePort();
    configure(`[server]\nport = ${port}\n[server.tls]\nmode = "internal"`);
    const step = `each phone has to trust it once, see https://localhost:${port}/trust`;
    expect(await check('certificate', 'reach')).toEqual([
      `ok: a private certificate authority for 127.0.0.1, ::1, localhost will be created at the next start; ${step}`,
      `warn: connection refused at https://localhost:${port}: start the server, and forward that port to port ${port}`,
    ]);
    const server = await createServer(loadConfig({ cwd: workshop.folder, env: {} }), { isScheduleOff: true });
    await server.start();
    try {
      const [certificate, reach] = await check('certificate', 'reach');
      expect(certificate).toMatch(
        /^ok: private certificate authority for 127\.0\.0\.1, ::1, localhost until \d{4}-\d\d-\d\d, SHA-256 (?:[0-9A-F]{2}:){31}[0-9A-F]{2}; each phone/,
      );
      expect(reach).toBe(`ok: https://localhost:${port} responds with a certificate of the private authority`);
    } finally {
      await server.stop();
    }
  });
});

describe('acme', () => {
  it('shows before the first start which port the authority needs, and that base_url is not covered', async () => {
    configure(
      '[server]\nport = 8443\nbase_url = "https://b.example.com"\n[server.tls]\nmode = "acme"\nacme_domains = ["a.example.com"]',
    );
    expect(await check('certificate')).toEqual([
      "fail: server.tls.acme_domains doesn't include b.example.com, which phones open: add it",
      'warn: will be ordered from acme-v02.api.letsencrypt.org at the next start, which requires that port 443 of b.example.com is forwarded to 8443',
    ]);
  });

  it('shows why the authority issued no certificate, and the next attempt', async () => {
    const [port, closed] = [await findFreePort(), await findFreePort()];
    const tls = `[server.tls]\nmode = "acme"\nacme_directory = "http://127.0.0.1:${closed}/dir"\nacme_domains = ["localhost"]`;
    configure(`[server]\nport = ${port}\n${tls}`);
    const server = await createServer(loadConfig({ cwd: workshop.folder, env: {} }), { isScheduleOff: true });
    await server.start();
    await server.app.https?.renew();
    await server.stop();
    const [finding] = await check('certificate');
    expect(finding).toMatch(
      new RegExp(
        `^fail: 127\\.0\\.0\\.1:${closed} didn't issue a certificate: 127\\.0\\.0\\.1:${closed} can't be reached: .*ECONNREFUSED.*; the next attempt is at \\d{4}-`,
      ),
    );
  });
});

describe('the reachability check', () => {
  async function withServer<T>(made: MadeCertificate, body: string, work: (port: number) => Promise<T>): Promise<T> {
    const server = createHttpsServer({ cert: made.certificate, key: made.privateKey }, (_, response) =>
      response.end(body),
    );
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
    try {
      return await work((server.address() as AddressInfo).port);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }

  it('does not run if installs need https first', async () => {
    expect(await check('reach')).toEqual([]);
  });

  it('fails with an untrusted certificate, and shows the next step', async () => {
    const made = await issue('localhost');
    const lines = await withServer(made, '{"status":"ok"}', (port) => {
      configure(`[server]\nbase_url = "https://localhost:${port}"`);
      return check('reach');
    });
    expect(lines).toEqual([
      expect.stringMatching(
        /^fail: https:\/\/localhost:\d+ has an untrusted certificate \(UNABLE_TO_VERIFY_LEAF_SIGNATURE\): add the intermediate certificates, or/,
      ),
    ]);
  });

  it('warns about an unknown name', async () => {
    configure('[server]\nbase_url = "https://nowhere.invalid"');
    expect(await check('reach')).toEqual([
      expect.stringMatching(/^warn: (?:nowhere\.invalid can't be resolved|https:\/\/nowhere\.invalid )/),
    ]);
  });
});

describe('the certificate for signing profiles', () => {
  it.each<[string, [number, number], string]>([
    ['passes while it is valid', [-1, 90], `ok: signed by CERT, valid until ${day(90)}`],
    ['has a warning before it expires', [-80, 5], `warn: CERT expires on ${day(5)}: renew it`],
    [
      'fails after it has expired',
      [-80, -2],
      `fail: CERT expired on ${day(-2)}: devices show profiles signed with it as unverified`,
    ],
  ])('%s', async (_, [from, to], expected) => {
    const made = await issue('x.example.com', from, to);
    writeFileSync(inside('c.pem'), made.certificate);
    writeFileSync(inside('k.pem'), made.privateKey);
    configure('[apple_profile]\ncert_file = "c.pem"\nkey_file = "k.pem"');
    const [line] = await check('profiles');
    expect(line?.replace(inside('c.pem'), 'CERT')).toBe(expected);
  });

  it('is missing', async () => {
    configure('[apple_profile]\ncert_file = "c.pem"\nkey_file = "k.pem"');
    expect(await check('profiles')).toEqual([`fail: ${inside('c.pem')} can't be used: the file doesn't exist`]);
  });
});
