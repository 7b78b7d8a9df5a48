// The key for signing messages to an organization's identity provider. It is created once, and its private half is
// stored encrypted.
import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { Context } from '../core/context.ts';
import { makeCertifiedKey } from './certified-key.ts';
import { findKey, insertKey } from './store.ts';

export interface ProviderKey {
  /** PEM. */
  certificate: string;
  privateKey: KeyObject;
}

/** What the key of an organization is encrypted for. */
export const providerKeyPurpose = (organizationId: string): string => `sso key ${organizationId}`;

/** Returns the key of an organization. The first call creates it. */
export async function provideKey(ctx: Context, organizationId: string): Promise<ProviderKey> {
  const row = findKey(ctx, organizationId) ?? (await makeKey(ctx, organizationId));
  const pem = ctx.secrets.decrypt(row.privateKeyEncrypted, providerKeyPurpose(organizationId));
  return { certificate: row.certificate, privateKey: createPrivateKey(pem) };
}

async function makeKey(ctx: Context, organizationId: string) {
  const { certificate, privateKey } = await makeCertifiedKey(ctx.clock.now());
  const privateKeyEncrypted = ctx.secrets.encrypt(privateKey, providerKeyPurpose(organizationId));
  // If two calls create one concurrently, the first wins and both use its key.
  return ctx.transact(
    (tx) => {
      insertKey(tx, { organizationId, certificate, privateKeyEncrypted, createdAt: tx.now });
      const row = findKey(tx, organizationId);
      if (row === undefined) throw new Error('The key was not stored');
      return row;
    },
    { bookkeeping: true },
  );
}
