// Integrity checks by the owner of an object before its bytes are delivered.
import type { ObjectHead } from '../core/storage.ts';

/** A hash to compute while bytes are sent. */
export type OutgoingHash = {
  /** The expected hash in hex, of the object as it was received. */
  readonly sha256: string;
  /** Must be called once with whether the hash matches, or undefined if not all bytes were read. */
  end(isSame: boolean | undefined): void;
};

/** Checks an object before delivery. Returns undefined for objects without checks. */
export type ReadGuard = (
  key: string,
  head: ObjectHead,
) =>
  | {
      readonly isIntact: boolean;
      /** Called when all bytes will be sent. Returns undefined to skip hashing. */
      beginHash?(): OutgoingHash | undefined;
    }
  | undefined;
