// What the owner of an object says when a storage of this server is about to give out its bytes.
import type { ObjectHead } from '../core/storage.ts';

/** A hash to compute over the bytes on their way out. */
export type OutgoingHash = {
  /** In hex, of the object as it came in. */
  readonly sha256: string;
  /** Must be called once: whether the bytes had this hash; undefined when not all of them were read. */
  end(isSame: boolean | undefined): void;
};

/** Judges an object that is about to be given out; undefined for objects of others, which are given out as they are. */
export type ReadGuard = (
  key: string,
  head: ObjectHead,
) =>
  | {
      readonly isIntact: boolean /** Asked for when all bytes are sent; undefined for no hash. */;
      beginHash?(): OutgoingHash | undefined;
    }
  | undefined;
