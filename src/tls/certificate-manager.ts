// Manages the server's certificate according to the configured mode. If renewal fails, the last good certificate stays active.
import { findAcmeCertificate, findFormerCertificate, renewAcmeCertificate } from '../certificates/acme.ts';
import { loadAcmeAccount, shortenPause } from '../certificates/acme-accounts.ts';
import { loadInternalCertificate } from '../certificates/authority.ts';
import { readKeyFiles } from '../certificates/key-files.ts';
import type { App, CertificateInUse } from '../core/context.ts';
import { chooseHsts } from './hsts.ts';
import { type Identity, identityOfFiles, identityOfKept } from './identity.ts';
import { watchKeyFiles } from './key-file-watch.ts';
import type { HttpAnswers } from './plain-server.ts';
import type { SecureServer } from './secure-server.ts';

export interface CertificateManager {
  /** Renews a certificate that is due and activates it. Safe to call at any time. */
  renew(): Promise<void>;
  /** Starts watching files, and orders a certificate if there is none. */
  start(isScheduleOff: boolean): void;
  stop(): Promise<void>;
  /** The value of Strict-Transport-Security, if any (chooseHsts). */
  hsts(): string | undefined;
  /** Returns the last active certificate of the configured mode; undefined before the first one was issued. */
  certificate(): CertificateInUse | undefined;
}

/** Activates a certificate and returns its manager. Throws KeyFilesError for unusable files. */
export async function openCertificateManager(
  app: App,
  secure: SecureServer,
  httpAnswers: HttpAnswers,
): Promise<CertificateManager> {
  const { tls } = app.config.server;
  const stopping = new AbortController();
  let inForce: Identity | undefined;
  /** The last one of the configured mode. When it expires, one of the own authority replaces it, but the alert about it must go on. */
  let wanted: Identity | undefined;
  let keptInForce = '';
  let hsts: string | undefined;
  let renewing: Promise<void> | undefined;
  let unwatch: (() => void) | undefined;

  function show(identity: Identity): void {
    // Intermediate certificates may have been added to the same certificate.
    if (identity.chain === inForce?.chain) return;
    secure.use(identity);
    inForce = identity;
    if (identity.source === tls.mode) wanted = identity;
    hsts = chooseHsts(app.config, identity);
    app.log.info({ fingerprint: identity.fingerprint }, 'certificate activated');
  }

  const readFiles = () => identityOfFiles(readKeyFiles(tls.cert_file, tls.key_file));

  /** Reloads changed files. If they're unusable, logs the reason and keeps the active certificate. */
  function reloadFiles(): void {
    try {
      show(readFiles());
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      app.log.error({ reason }, 'changed certificate unusable, previous one kept');
    }
  }

  async function showKept(): Promise<void> {
    const kept = tls.mode === 'acme' ? (findAcmeCertificate(app) ?? findFormerCertificate(app)) : undefined;
    const chosen = kept ?? (await loadInternalCertificate(app, 'internal'));
    if (chosen.id === keptInForce) return;
    show(identityOfKept(chosen));
    keptInForce = chosen.id;
  }

  async function renewNow(): Promise<void> {
    if (tls.mode === 'files') return;
    if (tls.mode === 'acme') {
      const kinds = tls.http_port === 0 ? (['tls-alpn-01'] as const) : (['http-01', 'tls-alpn-01'] as const);
      const { answerAlpn } = secure;
      await renewAcmeCertificate(app, { kinds, answerAlpn, answerHttp: httpAnswers.answerHttp }, stopping.signal);
    }
    if (!stopping.signal.aborted) await showKept();
  }

  function renew(): Promise<void> {
    renewing ??= renewNow().finally(() => {
      renewing = undefined;
    });
    return renewing;
  }

  if (tls.mode === 'files') show(readFiles());
  else await showKept();
  return {
    renew,
    start(isScheduleOff) {
      if (tls.mode === 'files') unwatch = watchKeyFiles([tls.cert_file, tls.key_file], reloadFiles);
      if (tls.mode !== 'acme' || isScheduleOff) return;
      shortenPause(app, loadAcmeAccount(app, tls.acme_directory));
      renew().catch((error: unknown) => app.log.error({ err: error }, 'first certificate order failed'));
    },
    async stop() {
      unwatch?.();
      stopping.abort();
      await renewing?.catch(() => undefined);
    },
    hsts: () => hsts,
    certificate: () => wanted && { names: wanted.names, startsAt: wanted.startsAt, expiresAt: wanted.expiresAt },
  };
}
