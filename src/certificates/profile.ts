// Signs configuration profiles with the configured certificate, or with one of the server's own authority.
import { createPrivateKey } from 'node:crypto';
import type { Config } from '../config.ts';
import type { App } from '../core/context.ts';
import { loadInternalCertificate } from './authority.ts';
import { type Signer, signMessage } from './cms.ts';
import { KeyFilesError, readKeyFiles } from './key-files.ts';
import { readCertificates } from './pem.ts';
import { signingAlgorithmOf } from './x509.ts';

/**
 * Signs a configuration profile as CMS SignedData in DER with the certificate of `apple_profile`, or with one of the server's own
 * authority if none is configured. The files are read each time, so that a renewed certificate is used immediately. Throws
 * KeyFilesError.
 */
export async function signProfile(app: App, plist: Buffer): Promise<Buffer> {
  return signMessage(plist, await loadProfileSigner(app), app.clock.now());
}

async function loadProfileSigner(app: App): Promise<Signer> {
  const configured = readProfileSigner(app.config.apple_profile);
  if (configured !== undefined) return configured;
  const { chain, privateKey } = await loadInternalCertificate(app, 'profile');
  const [certificate, ...above] = readCertificates(chain);
  if (certificate === undefined) throw new Error('a certificate of the own authority is unreadable');
  return { certificate, privateKey, chain: above };
}

/** Returns the configured signer, or undefined if there is none. Throws KeyFilesError. */
export function readProfileSigner({ cert_file, key_file, chain_file }: Config['apple_profile']): Signer | undefined {
  if (cert_file === '') return undefined;
  const signer = readKeyFiles(cert_file, key_file, chain_file);
  if (signingAlgorithmOf(createPrivateKey(signer.privateKey)) !== undefined) return signer;
  throw new KeyFilesError(`${key_file} can't sign profiles: use an RSA key, or one with a NIST curve`);
}
