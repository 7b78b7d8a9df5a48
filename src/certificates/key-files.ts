// Certificates and keys that lie in files of the operator: read whole, or refused by name of the file.
import { createPrivateKey, type X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readCertificates } from './pem.ts';

const MOST_BYTES = 1024 * 1024;

/** Configured files cannot be used; the message names the file and says why. */
export class KeyFilesError extends Error {}

export interface KeyFiles {
  certificate: X509Certificate;
  /** Certificates between this one and a root, as far as they are given. */
  chain: readonly X509Certificate[];
  /** PEM. */
  privateKey: string;
}

/** The certificate of a file with its key, and the intermediate ones behind it and in `chainFile` (may be ""). Throws KeyFilesError. */
export function readKeyFiles(certFile: string, keyFile: string, chainFile = ''): KeyFiles {
  const [certificate, ...behind] = attempt(certFile, () => readCertificates(readText(certFile)));
  if (certificate === undefined) throw new KeyFilesError(`${certFile} holds no certificate in PEM`);
  const privateKey = readText(keyFile);
  const key = attempt(keyFile, () => createPrivateKey(privateKey));
  if (!attempt(certFile, () => certificate.checkPrivateKey(key))) {
    throw new KeyFilesError(`${keyFile} is not the key of ${certFile}`);
  }
  const added = chainFile === '' ? [] : attempt(chainFile, () => readCertificates(readText(chainFile)));
  return { certificate, chain: [...behind, ...added], privateKey };
}

function readText(file: string): string {
  const text = attempt(file, () => readFileSync(file, 'utf8'));
  if (text.length > MOST_BYTES) throw new KeyFilesError(`${file} is too large for a certificate or key`);
  return text;
}

function attempt<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof KeyFilesError) throw error;
    throw new KeyFilesError(`${file} cannot be used: ${describe(error)}`);
  }
}

const ENCRYPTED = 'the key is encrypted; write it without a passphrase';
const WORDS: Record<string, string> = {
  ENOENT: 'there is no such file',
  EACCES: 'this account may not read it',
  EISDIR: 'it is a folder',
  ERR_MISSING_PASSPHRASE: ENCRYPTED,
  ERR_OSSL_CRYPTO_INTERRUPTED_OR_CANCELLED: ENCRYPTED,
  // What OpenSSL says of everything in which it finds no key.
  ERR_OSSL_UNSUPPORTED: 'it holds no private key in PEM',
};

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  return WORDS[code] ?? error.message;
}
