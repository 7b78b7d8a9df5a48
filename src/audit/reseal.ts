// Signs with another key what the audit trail has signed.
import { isSealed, sealCheckpoint } from '../core/audit-chain.ts';
import type { Tx } from '../core/context.ts';
import type { Keyring } from '../runtime/signing.ts';
import { listCheckpointsAfter, saveCheckpoint } from './chain-store.ts';

const ROWS = 500;

/** Signs the checkpoints with another key. Those that retention didn't sign stay as they are, so that `taxiway verify` still reports them. */
export function resealCheckpoints(tx: Tx, keyring: Keyring): void {
  let after = '';
  for (let points = listCheckpointsAfter(tx, after, ROWS); points.length > 0; ) {
    for (const point of points) {
      if (isSealed(tx.secrets.keyring, point)) saveCheckpoint(tx, { ...point, seal: sealCheckpoint(keyring, point) });
      after = point.chain;
    }
    points = listCheckpointsAfter(tx, after, ROWS);
  }
}
