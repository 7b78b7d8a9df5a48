// Signing of configuration profiles: with the configured certificate, or with one of the server's own authority.
import type { Config } from '../config.ts';
import type { App } from '../core/context.ts';
import { loadInternalCertificate } from './authority.ts';
import { type Signer, signMessage } from './cms.ts';
import { readKeyFiles } from './key-files.ts';
import { readCertificates } from './pem.ts';

/**
 * A configuration profile as CMS SignedData in DER: signed by `apple_profile`'s certificate when one is configured (read
 * anew each time, so that a renewed one is used at once; throws KeyFilesError), else by one of the server's own authority.
 */
export async function signProfile(app: App, plist: Buffer): Promise<Buffer> {
  return signMessage(plist, await loadProfileSigner(app), app.clock.now());
}

async function loadProfileSigner(app: App): Promise<Signer> {
  const configured = readProfileSigner(app.config.apple_profile);
  if (configured !== undefined) return configured;
  const { chain, privateKey } = await loadInternalCertificate(app, 'profile');
  const [certificate, ...above] = readCertificates(chain);
  if (certificate === undefined) throw new Error('a certificate of the own authority cannot be read');
  return { certificate, privateKey, chain: above };
}

/** The configured signer; undefined when none is. Throws KeyFilesError. */
export function readProfileSigner({ cert_file, key_file, chain_file }: Config['apple_profile']): Signer | undefined {
  return cert_file === '' ? undefined : readKeyFiles(cert_file, key_file, chain_file);
}
