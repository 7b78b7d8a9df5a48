// Signing of configuration profiles: with the configured certificate, or with one of the server's own authority.
import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Config } from '../config.ts';
import type { App } from '../platform/context.ts';
import { loadInternalCertificate } from './authority.ts';
import { type Signer, signMessage } from './cms.ts';
import { readCertificates } from './pem.ts';

/** The configured files cannot be used; the message names the file. */
export class ProfileSignerError extends Error {}

/**
 * A configuration profile as CMS SignedData in DER: signed by `apple_profile`'s certificate when one is configured (read
 * anew each time, so that a renewed one is used at once), else by one of the server's own authority.
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

/** The configured signer; undefined when none is. Throws ProfileSignerError. */
export function readProfileSigner(profile: Config['apple_profile']): Signer | undefined {
  if (profile.cert_file === '') return undefined;
  const pem = readText(profile.cert_file);
  const [certificate, ...inCertFile] = attempt(profile.cert_file, () => readCertificates(pem));
  if (certificate === undefined) throw new ProfileSignerError(`${profile.cert_file} holds no certificate in PEM`);
  const privateKey = readText(profile.key_file);
  const key = attempt(profile.key_file, () => createPrivateKey(privateKey));
  if (!certificate.checkPrivateKey(key)) {
    throw new ProfileSignerError(`${profile.key_file} is not the key of ${profile.cert_file}`);
  }
  const { chain_file: chainFile } = profile;
  const inChainFile = chainFile === '' ? [] : attempt(chainFile, () => readCertificates(readText(chainFile)));
  return { certificate, privateKey, chain: [...inCertFile, ...inChainFile] };
}

function readText(file: string): string {
  return attempt(file, () => readFileSync(file, 'utf8'));
}

function attempt<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof ProfileSignerError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ProfileSignerError(`${file} cannot be used: ${reason.replace(/^ENOENT.*/, 'there is no such file')}`);
  }
}
