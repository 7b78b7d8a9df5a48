// The interface of storage backends. The only backend is a local folder (storage/local/).
import type { storageBackends } from '../config/schema.ts';

/** The URL for uploading an object, and the headers that the upload must have. */
type SignedPut = { readonly url: string; readonly requiredHeaders: Readonly<Record<string, string>> };

/**
 * A stored object. `etag` is quoted and strong: different contents have different ETags. `sha256` (hex) was computed by the
 * backend when it received the bytes; it's undefined if unknown, which is never an error.
 */
export type ObjectHead = {
  readonly size: number;
  readonly etag: string;
  readonly modifiedAt: Date;
  readonly sha256?: string;
};

/** One item of a listing. */
export type ListedObject = { readonly key: string; readonly size: number; readonly modifiedAt: Date };

/** With less free space the server isn't ready. */
export const MIN_FREE_BYTES = 256 * 1024 ** 2;

/** Result of a storage check. `freeBytes` is undefined for backends without a known limit. */
export type StorageCheck = { readonly ok: boolean; readonly detail: string; readonly freeBytes: number | undefined };

/** Bytes are transferred through signed URLs; the service itself only reads metadata, moves and deletes. Keys: see object-key.ts. */
export type Storage = {
  readonly backend: (typeof storageBackends)[number];
  /** Returns a URL that accepts PUT of this object until `expiresAt`, any number of times, until the object is moved. */
  signPut(request: { key: string; expiresAt: Date; subject: string }): Promise<SignedPut>;
  /** Returns a URL for GET and HEAD until `expiresAt`. The signature covers the file name and content type of the response. */
  signGet(request: {
    key: string;
    expiresAt: Date;
    subject: string;
    fileName?: string | undefined;
    contentType?: string | undefined;
  }): Promise<{ readonly url: string }>;
  /** Returns the object's metadata, or undefined if it doesn't exist. */
  head(key: string): Promise<ObjectHead | undefined>;
  /** Returns `length` bytes from `offset`, fewer at the end of the object. Throws StorageError `not_found`. */
  read(key: string, offset: number, length: number): Promise<Buffer>;
  /**
   * Moves an object to its final key. Afterwards neither key accepts a PUT. Idempotent. With `etag`, throws StorageError
   * `changed` if the object has changed since. Throws StorageError `not_found` if neither key exists.
   */
  move(from: string, to: string, condition?: { etag?: string | undefined }): Promise<void>;
  /** Deletes the object. Succeeds if it doesn't exist. */
  delete(key: string): Promise<void>;
  /** Lists objects whose key starts with `prefix`, in byte order, after the key `after`. `next` is the `after` of the next page. */
  list(
    prefix: string,
    page: { after?: string | undefined; limit: number },
  ): Promise<{ readonly items: readonly ListedObject[]; readonly next: string | undefined }>;
  /**
   * Stores an object created by the service, as atomically and durably as an upload. Large objects come in chunks. If a chunk
   * fails, nothing is stored and its error is thrown.
   */
  put(key: string, bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<ObjectHead>;
  /**
   * Whether uploads are accepted; false if only a reserve is left. True for backends without a known limit. Throws StorageError
   * `unavailable`.
   */
  hasRoom(): Promise<boolean>;
  /** Writes, reads and deletes a small object. Never throws. */
  check(): Promise<StorageCheck>;
};

/** `unavailable` and `full` are failures of the backend; the others result from the call. */
export type StorageErrorCode = 'not_found' | 'changed' | 'immutable' | 'exists' | 'full' | 'unavailable';

/** Error of a backend. `cause` is the backend's own error and only appears in the log. */
export class StorageError extends Error {
  readonly code: StorageErrorCode;

  constructor(code: StorageErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'StorageError';
    this.code = code;
  }
}
