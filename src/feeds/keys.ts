// The key of an organization that signs its F-Droid repositories, created when it is first needed.
import { X509Certificate } from 'node:crypto';
import type { Signer } from '../certificates/cms.ts';
import { makeRepositoryCertificate } from '../certificates/x509.ts';
import type { Context } from '../core/context.ts';
import { DAY } from '../lib/clock.ts';
import { findRepositoryKey, insertRepositoryKey, type RepositoryKeyRow } from './store.ts';

export const REPOSITORY_KEY = 'repository key';
/** As long as F-Droid's own tools make them: a repository with another key is another repository. */
const LIFETIME_MS = 10_000 * DAY;

/** Returns the SHA-256 of the certificate in hex. Clients recognize the repository by it. */
export async function readFingerprint(ctx: Context, organizationId: string): Promise<string> {
  const { certificate } = await loadKey(ctx, organizationId);
  return new X509Certificate(certificate).fingerprint256.replaceAll(':', '').toLowerCase();
}

/** Returns what signs the repositories of an organization. */
export async function openSigner(ctx: Context, organizationId: string): Promise<Signer> {
  const { certificate, privateKeyEncrypted } = await loadKey(ctx, organizationId);
  const privateKey = ctx.secrets.decrypt(privateKeyEncrypted, REPOSITORY_KEY);
  return { certificate: new X509Certificate(certificate), privateKey, chain: [] };
}

async function loadKey(ctx: Context, organizationId: string): Promise<RepositoryKeyRow> {
  const known = findRepositoryKey(ctx, organizationId);
  if (known !== undefined) return known;
  // Creating a key takes about a second of another thread.
  return ctx.locks([`repository key ${organizationId}`], async () => {
    if (findRepositoryKey(ctx, organizationId) === undefined) {
      const notBefore = ctx.clock.now();
      const validity = { notBefore, notAfter: new Date(notBefore.getTime() + LIFETIME_MS) };
      const made = await makeRepositoryCertificate(`Taxiway repository ${organizationId}`, validity);
      const privateKeyEncrypted = ctx.secrets.encrypt(made.privateKey, REPOSITORY_KEY);
      ctx.transact(
        (tx) =>
          insertRepositoryKey(tx, {
            organizationId,
            certificate: made.certificate,
            privateKeyEncrypted,
            createdAt: tx.now,
          }),
        { bookkeeping: true },
      );
    }
    const row = findRepositoryKey(ctx, organizationId);
    if (row === undefined) throw new Error('the organization was deleted while its key was created');
    return row;
  });
}
