// The server's own certificate authority: made on first use, bound to the configured names, issuing what the server needs.

import type { App } from '../core/context.ts';
import { DAY, HOUR } from '../lib/clock.ts';
import { hostnameOf } from '../lib/url-host.ts';
import { internalNames } from './names.ts';
import type { KeptCertificate } from './store.ts';
import { type Authority, findAuthority, findCertificate, insertAuthority, insertCertificate } from './store.ts';
import { issueLeaf, makeAuthority } from './x509.ts';

const AUTHORITY_DAYS = 3650;
/** Phones have to trust the next authority anew, so it comes as late as its last certificates allow. */
const AUTHORITY_LAST_DAYS = 30;
/** iOS takes at most 825 days from authorities that people add, 398 from its own. */
const LEAF_DAYS = 397;
/** Room for clocks that are behind. */
const BACKDATE_MS = HOUR;
const LOCK = 'certificate authority';
/** What was made later than this from now was made while the clock was wrong, and is not valid yet. */
const CLOCK_TOLERANCE_MS = DAY;

/** How long before its end a certificate of the own authority is replaced. */
export const RENEW_BEFORE_MS = 60 * DAY;

/** The authority for the names of the configuration; made when there is none, or when the last one is about to end. */
export async function loadAuthority(app: App): Promise<Authority> {
  return app.locks([LOCK], async () => {
    const names = internalNames(app.config);
    const now = app.clock.now().getTime();
    const kept = findAuthority(app, names, now + CLOCK_TOLERANCE_MS);
    if (kept !== undefined && kept.expiresAt - now > AUTHORITY_LAST_DAYS * DAY) return kept;
    const validity = { notBefore: new Date(now - BACKDATE_MS), notAfter: new Date(now + AUTHORITY_DAYS * DAY) };
    const id = app.ids.next();
    // Two authorities of one server look alike in a phone's list, but for this.
    const commonName = `Taxiway ${hostnameOf(app.config.server.base_url).slice(0, 40)} ${id.slice(-6)}`;
    const made = await makeAuthority(commonName, names, validity);
    const authority = { id, names, ...made, createdAt: now, expiresAt: validity.notAfter.getTime() };
    insertAuthority(app, authority);
    app.log.info({ names, expires_at: validity.notAfter.toISOString() }, 'certificate authority made');
    return authority;
  });
}

/** The certificate of the own authority for TLS or for signing profiles; made when there is none that lasts. */
export async function loadInternalCertificate(app: App, purpose: 'internal' | 'profile'): Promise<KeptCertificate> {
  const authority = await loadAuthority(app);
  return app.locks([`certificate ${purpose}`], async () => {
    const names = purpose === 'internal' ? authority.names : [];
    const now = app.clock.now().getTime();
    const kept = findCertificate(app, purpose, authority.id, names, now + CLOCK_TOLERANCE_MS);
    // In the last weeks of an authority nothing lasts longer than what there is.
    const lasts = (end: number) => end - now > RENEW_BEFORE_MS || end === authority.expiresAt;
    if (kept !== undefined && lasts(kept.expiresAt)) return kept;
    const end = Math.min(now + LEAF_DAYS * DAY, authority.expiresAt);
    const host = hostnameOf(app.config.server.base_url);
    const leaf = await issueLeaf(authority, {
      // No host name by itself: constraints would take an address that stands here for a forbidden host.
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
