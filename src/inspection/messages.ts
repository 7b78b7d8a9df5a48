// Messages between the server and an inspection worker, which runs one inspection at a time.

import type { Platform } from '../platforms.ts';
import type { InspectionOutcome } from './inspect.ts';

export type ToWorker =
  | { readonly type: 'inspect'; readonly job: number; readonly size: number; readonly platform: Platform }
  /** Response to a read; null if the source failed. */
  | { readonly type: 'bytes'; readonly read: number; readonly bytes: Uint8Array<ArrayBuffer> | null };

export type FromWorker =
  | { readonly type: 'ready' }
  | {
      readonly type: 'read';
      readonly job: number;
      readonly read: number;
      readonly offset: number;
      readonly length: number;
    }
  | { readonly type: 'done'; readonly job: number; readonly outcome: InspectionOutcome }
  /** The source failed, so nothing is known about the package. */
  | { readonly type: 'failed'; readonly job: number; readonly message: string };
