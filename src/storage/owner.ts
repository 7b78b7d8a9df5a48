// The mark of this installation in a backend that several servers can reach.
import type { Context } from '../core/context.ts';
import { signFields } from '../runtime/signing.ts';

/** Identifies this installation to others that use the same bucket, without revealing its key. */
export function storageOwner({ secrets }: Pick<Context, 'secrets'>): string {
  return signFields(secrets.keyring, 'storage owner', []);
}
