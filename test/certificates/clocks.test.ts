// Certificates of the own authority with wrong or advanced clocks.
import { X509Certificate } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadAuthority, loadInternalCertificate } from '../../src/certificates/authority.ts';
import { signProfile } from '../../src/certificates/profile.ts';
import { certificateAuthorities, certificates } from '../../src/data/tables/tables.ts';
import { DAY } from '../../src/lib/clock.ts';
import { createIds } from '../../src/runtime/ids.ts';
import { openTestApp } from '../core/open-app.ts';
import { run, withFiles } from '../tls/clients.ts';

const plist = Buffer.from('<?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict/></plist>');

let opened: Awaited<ReturnType<typeof openTestApp>>;

beforeEach(async () => {
  opened = await openTestApp();
});

afterEach(() => opened.close());

/** Sets the clock as it stands after a start of the program: ids begin again with it. */
function startAt(moment: number): void {
  opened.clock.set(new Date(moment));
  opened.app.ids = createIds(opened.clock);
}

const countCertificates = () => opened.app.db.select().from(certificates).all().length;

describe('after a clock that was ahead', () => {
  it('the authority that it created is replaced', async () => {
    const { app, clock } = opened;
    const now = clock.now().getTime();
    startAt(now + 3640 * DAY);
    const early = await loadAuthority(app);
    startAt(now);
    const made = await loadAuthority(app);
    expect(made.id).not.toBe(early.id);
    expect(new X509Certificate(made.certificate).validFromDate.getTime()).toBeLessThanOrEqual(now);
    expect((await loadAuthority(app)).id).toBe(made.id);
    expect(app.db.select().from(certificateAuthorities).all()).toHaveLength(2);
  });

  it('an authority that phones trust is not replaced', async () => {
    const { app, clock } = opened;
    const now = clock.now().getTime();
    const trusted = await loadAuthority(app);
    startAt(now + 3640 * DAY);
    await loadAuthority(app);
    startAt(now + DAY);
    expect((await loadAuthority(app)).id).toBe(trusted.id);
  });

  it('one new certificate is created, not one each time', async () => {
    const { app, clock } = opened;
    const now = clock.now().getTime();
    await loadAuthority(app);
    startAt(now + 400 * DAY);
    await loadInternalCertificate(app, 'internal');
    startAt(now);
    const made = await loadInternalCertificate(app, 'internal');
    expect(made.createdAt - now).toBeLessThan(DAY);
    for (let time = 0; time < 3; time += 1) {
      expect((await loadInternalCertificate(app, 'internal')).id).toBe(made.id);
    }
    expect(countCertificates()).toBe(2);
  });
});

describe('after a clock that fell back', () => {
  it('signing profiles creates no new key each time', async () => {
    const { app, clock } = opened;
    const now = clock.now().getTime();
    await loadAuthority(app);
    startAt(now + 5 * DAY);
    await signProfile(app, plist);
    startAt(now + DAY);
    for (let time = 0; time < 3; time += 1) await signProfile(app, plist);
    expect(countCertificates()).toBe(2);
  });
});

describe('in the last weeks of an authority', () => {
  it('one certificate is created, which expires with it', async () => {
    const { app, clock } = opened;
    const { expiresAt } = await loadAuthority(app);
    clock.set(new Date(expiresAt - 50 * DAY));
    for (let time = 0; time < 3; time += 1) await loadInternalCertificate(app, 'internal');
    expect(countCertificates()).toBe(1);
    clock.set(new Date(expiresAt - 29 * DAY));
    expect((await loadInternalCertificate(app, 'internal')).expiresAt).toBeGreaterThan(expiresAt);
  });
});

describe('in a year that certificates write in the longer form', () => {
  it.each(['2045-06-01T00:00:00.123Z', '2053-01-31T12:00:00.500Z'])(
    '%s openssl accepts chain and profile',
    async (at) => {
      const { app } = opened;
      startAt(Date.parse(at));
      const message = await signProfile(app, plist);
      const { certificate } = await loadAuthority(app);
      const { chain } = await loadInternalCertificate(app, 'internal');
      const seconds = String(Math.floor(Date.parse(at) / 1000));
      await withFiles({ 'root.pem': certificate, 'leaf.pem': chain, 'signed.der': message }, async (file) => {
        const words = ['-CAfile', file('root.pem'), '-attime', seconds];
        const verified = await run('openssl', ['verify', '-x509_strict', ...words, file('leaf.pem')]);
        expect(verified.stdout + verified.stderr).toContain('leaf.pem: OK');
        const signed = ['cms', '-verify', '-binary', '-inform', 'DER', '-in', file('signed.der'), ...words];
        expect((await run('openssl', signed)).stdout).toBe(plist.toString());
      });
    },
  );
});
