// Keeps a certificate in force: the one of the configured mode, the last good one when a new one cannot be had.
import { findAcmeCertificate, renewAcmeCertificate } from '../certificates/acme.ts';
import { loadAcmeAccount, shortenPause } from '../certificates/acme-accounts.ts';
import { loadInternalCertificate } from '../certificates/authority.ts';
import { readKeyFiles } from '../certificates/key-files.ts';
import type { App } from '../core/context.ts';
import { chooseHsts } from './hsts.ts';
import { type Identity, identityOfFiles, identityOfKept } from './identity.ts';
import { watchKeyFiles } from './key-file-watch.ts';
import type { HttpAnswers } from './plain-server.ts';
import type { SecureServer } from './secure-server.ts';

export interface CertificateManager {
  /** Renews what is due and puts it into force. Safe to call at any time. */
  renew(): Promise<void>;
  /** Begins to look after files, and to order a certificate where there is none. */
  start(isScheduleOff: boolean): void;
  stop(): Promise<void>;
  /** What browsers are told with each answer, if anything (chooseHsts). */
  hsts(): string | undefined;
}

/** Puts a certificate into force and answers its keeper. Throws KeyFilesError for files that cannot be used. */
export async function openCertificateManager(
  app: App,
  secure: SecureServer,
  httpAnswers: HttpAnswers,
): Promise<CertificateManager> {
  const { tls } = app.config.server;
  const stopping = new AbortController();
  let inForce = '';
  let keptInForce = '';
  let hsts: string | undefined;
  let renewing: Promise<void> | undefined;
  let unwatch: (() => void) | undefined;

  function show(identity: Identity): void {
    if (identity.fingerprint === inForce) return;
    secure.use(identity);
    inForce = identity.fingerprint;
    hsts = chooseHsts(app.config, identity);
    app.log.info({ fingerprint: identity.fingerprint }, 'certificate in force');
  }

  const readFiles = () => identityOfFiles(readKeyFiles(tls.cert_file, tls.key_file));

  /** After a change: what cannot be used is said, and what is in force stays. */
  function reloadFiles(): void {
    try {
      show(readFiles());
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      app.log.error({ reason }, 'the changed certificate cannot be used, the one before stays in force');
    }
  }

  async function showKept(): Promise<void> {
    const kept = tls.mode === 'acme' ? findAcmeCertificate(app) : undefined;
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
      renew().catch((error: unknown) => app.log.error({ err: error }, 'the first certificate was not ordered'));
    },
    async stop() {
      unwatch?.();
      stopping.abort();
      await renewing?.catch(() => undefined);
    },
    hsts: () => hsts,
  };
}
