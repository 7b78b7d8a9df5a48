// The key with which an organization signs what it sends to its identity provider: made once, the private half encrypted.
import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { Context } from '../core/context.ts';
import { makeCertifiedKey } from './certified-key.ts';
import { findKey, insertKey } from './store.ts';

export interface ProviderKey {
  /** PEM. */
  certificate: string;
  privateKey: KeyObject;
}

const purposeOf = (organizationId: string) => `sso key ${organizationId}`;

/** The key of an organization; the first call makes it. */
export async function provideKey(ctx: Context, organizationId: string): Promise<ProviderKey> {
  const row = findKey(ctx, organizationId) ?? (await makeKey(ctx, organizationId));
  const pem = ctx.secrets.decrypt(row.privateKeyEncrypted, purposeOf(organizationId));
  return { certificate: row.certificate, privateKey: createPrivateKey(pem) };
}

async function makeKey(ctx: Context, organizationId: string) {
  const { certificate, privateKey } = await makeCertifiedKey(ctx.clock.now());
  const privateKeyEncrypted = ctx.secrets.encrypt(privateKey, purposeOf(organizationId));
  // Of two that make one at once the first wins, and both go on with the winner's.
  return ctx.transact(
    (tx) => {
      insertKey(tx, { organizationId, certificate, privateKeyEncrypted, createdAt: tx.now });
      const row = findKey(tx, organizationId);
      if (row === undefined) throw new Error('The key was not kept');
      return row;
    },
    { bookkeeping: true },
  );
}
