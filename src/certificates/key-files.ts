// Certificates and keys in files of the operator.
import { createPrivateKey, type X509Certificate } from 'node:crypto';
import { readGivenFile } from '../lib/given-file.ts';
import { readCertificates } from './pem.ts';

const MAX_BYTES = 1024 * 1024;

/** Configured files are unusable. The message contains the file and the reason. */
export class KeyFilesError extends Error {}

export interface KeyFiles {
  certificate: X509Certificate;
  /** The given intermediate certificates. */
  chain: readonly X509Certificate[];
  /** PEM. */
  privateKey: string;
}

/** Reads a certificate, its key, and the intermediate certificates after it and in `chainFile` (may be ""). Throws KeyFilesError. */
export function readKeyFiles(certFile: string, keyFile: string, chainFile = ''): KeyFiles {
  const [certificate, ...behind] = attempt(certFile, () => readCertificates(readText(certFile)));
  if (certificate === undefined) throw new KeyFilesError(`${certFile} contains no certificate in PEM`);
  const privateKey = readText(keyFile);
  const key = attempt(keyFile, () => createPrivateKey(privateKey));
  if (!attempt(certFile, () => certificate.checkPrivateKey(key))) {
    throw new KeyFilesError(`${keyFile} is not the key of ${certFile}`);
  }
  const added = chainFile === '' ? [] : attempt(chainFile, () => readCertificates(readText(chainFile)));
  return { certificate, chain: [...behind, ...added], privateKey };
}

function readText(file: string): string {
  const text = attempt(file, () => readGivenFile(file).toString('utf8'));
  if (text.length > MAX_BYTES) throw new KeyFilesError(`${file} is too large for a certificate or key`);
  return text;
}

function attempt<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof KeyFilesError) throw error;
    throw new KeyFilesError(`${file} can't be used: ${describe(error)}`);
  }
}

const ENCRYPTED = 'the key is encrypted; write it without a passphrase';
const WORDS: Record<string, string> = {
  ENOENT: "the file doesn't exist",
  EACCES: 'no read permission',
  EISDIR: 'it is a folder',
  ERR_MISSING_PASSPHRASE: ENCRYPTED,
  ERR_OSSL_CRYPTO_INTERRUPTED_OR_CANCELLED: ENCRYPTED,
  // OpenSSL's code for every file without a key.
  ERR_OSSL_UNSUPPORTED: 'it contains no private key in PEM',
};

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  return WORDS[code] ?? error.message;
}
