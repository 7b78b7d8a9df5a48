// The certificate that the server uses, from its files or from the database.
import { readFileSync } from 'node:fs';
import { readCertificates } from '../certificates/pem.ts';
import type { App } from '../core/context.ts';
import { prepared } from '../data/database.ts';

export interface CertificateInUse {
  names: string[];
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

const newestCertificate = prepared((db) =>
  db.$client.prepare<[string], { names: string; expiresAt: number }>(
    'SELECT names, expires_at AS expiresAt FROM certificates WHERE purpose = ? ORDER BY id DESC LIMIT 1',
  ),
);

/** Returns the certificate that the server uses; undefined without one, or if its file can't be read, which health checks report. */
export function findCertificateInUse(app: Pick<App, 'db' | 'config'>): CertificateInUse | undefined {
  const { tls } = app.config.server;
  if (tls.mode === 'files') return readFile(tls.cert_file);
  const row = newestCertificate(app).get(tls.mode);
  return row === undefined ? undefined : { names: JSON.parse(row.names), expiresAt: row.expiresAt };
}

function readFile(file: string): CertificateInUse | undefined {
  try {
    const [certificate] = readCertificates(readFileSync(file, 'utf8'));
    if (certificate === undefined) return undefined;
    const names = (certificate.subjectAltName ?? '').split(', ').map((name) => name.replace(/^[\w ]+:/, ''));
    return { names, expiresAt: certificate.validToDate.getTime() };
  } catch {
    return undefined;
  }
}
