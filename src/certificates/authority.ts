// The server's own certificate authority: created on first use, restricted to the configured names.

import type { App } from '../core/context.ts';
import { DAY, HOUR } from '../lib/clock.ts';
import { hostnameOf } from '../lib/url-host.ts';
import { internalNames } from './names.ts';
import type { KeptCertificate } from './store.ts';
import { type Authority, findAuthority, findCertificate, insertAuthority, insertCertificate } from './store.ts';
import { issueLeaf, makeAuthority } from './x509.ts';

const AUTHORITY_DAYS = 3650;
/** Phones must trust a new authority again, so it's created as late as the lifetime of certificates allows. */
const AUTHORITY_LAST_DAYS = 30;
/** iOS accepts at most 825 days from user-added authorities, and 398 from built-in ones. */
const LEAF_DAYS = 397;
/** Tolerance for clocks that are slow. */
const BACKDATE_MS = HOUR;
const LOCK = 'certificate authority';
/** Rows created further in the future were created while the clock was wrong, and aren't valid yet. */
const CLOCK_TOLERANCE_MS = DAY;

/** How long before its expiry a certificate of the own authority is replaced. */
const RENEW_BEFORE_MS = 60 * DAY;

/** Returns the authority for the configured names. Creates one if there is none or the last one is about to expire. */
export async function loadAuthority(app: App): Promise<Authority> {
  return app.locks([LOCK], async () => {
    const names = internalNames(app.config);
    const now = app.clock.time();
    const kept = findAuthority(app, names, now + CLOCK_TOLERANCE_MS);
    if (kept !== undefined && kept.expiresAt - now > AUTHORITY_LAST_DAYS * DAY) return kept;
    const validity = { notBefore: new Date(now - BACKDATE_MS), notAfter: new Date(now + AUTHORITY_DAYS * DAY) };
    const id = app.ids.next();
    // The suffix distinguishes several authorities of one server in a phone's list.
    const commonName = `Taxiway ${hostnameOf(app.config.server.base_url).slice(0, 40)} ${id.slice(-6)}`;
    const made = await makeAuthority(commonName, names, validity);
    const authority = { id, names, ...made, createdAt: now, expiresAt: validity.notAfter.getTime() };
    insertAuthority(app, authority);
    app.log.info({ names, expires_at: validity.notAfter.toISOString() }, 'certificate authority created');
    return authority;
  });
}

/** Returns the own authority's certificate for TLS or profile signing. Creates one if there is none with enough lifetime. */
export async function loadInternalCertificate(app: App, purpose: 'internal' | 'profile'): Promise<KeptCertificate> {
  const authority = await loadAuthority(app);
  return app.locks([`certificate ${purpose}`], async () => {
    const names = purpose === 'internal' ? authority.names : [];
    const now = app.clock.time();
    const kept = findCertificate(app, purpose, authority.id, names, now + CLOCK_TOLERANCE_MS);
    // In the last weeks of an authority, no certificate can last longer than the current one.
    const lasts = (end: number) => end - now > RENEW_BEFORE_MS || end === authority.expiresAt;
    if (kept !== undefined && lasts(kept.expiresAt)) return kept;
    const end = Math.min(now + LEAF_DAYS * DAY, authority.expiresAt);
    const host = hostnameOf(app.config.server.base_url);
    const leaf = await issueLeaf(authority, {
      // Not just the host name, because name constraints would treat an address here as a forbidden host.
      commonName: `Taxiway ${host}`.slice(0, 64),
      use: purpose === 'internal' ? 'server' : 'signer',
      names,
      keyKind: purpose === 'internal' ? 'ecdsa' : 'rsa',
      validity: { notBefore: new Date(now - BACKDATE_MS), notAfter: new Date(end) },
    });
    const certificate: KeptCertificate = {
      id: app.ids.next(),
      purpose,
      issuer: authority.id,
      names,
      chain: leaf.certificate + authority.certificate,
      privateKey: leaf.privateKey,
      createdAt: now,
      expiresAt: end,
    };
    insertCertificate(app, certificate);
    app.log.info({ purpose, names, expires_at: new Date(end).toISOString() }, 'certificate issued');
    return certificate;
  });
}
