// What the product asks of a place that keeps objects: a local folder, an S3 bucket or an Azure container.

/** Where an object's bytes may be sent, and the headers that must travel with them. */
export type SignedPut = { readonly url: string; readonly requiredHeaders: Readonly<Record<string, string>> };

/**
 * An object as it is stored. `etag` is quoted and strong: two contents never share one. `sha256` (hex) is what the backend
 * computed of the bytes when it received them; undefined when it doesn't know, which is never an error.
 */
export type ObjectHead = {
  readonly size: number;
  readonly etag: string;
  readonly modifiedAt: Date;
  readonly sha256?: string;
};

/** One row of a listing. */
export type ListedObject = { readonly key: string; readonly size: number; readonly modifiedAt: Date };

/** Outcome of a round trip. `freeBytes` is undefined where the backend has no known end. */
export type StorageCheck = { readonly ok: boolean; readonly detail: string; readonly freeBytes: number | undefined };

/** Bytes travel through signed URLs; the service itself only looks, moves and removes. Keys: see object-key.ts. */
export type Storage = {
  /** A URL that accepts PUT of this object until `expiresAt`, any number of times, until the object is moved away. */
  signPut(request: { key: string; expiresAt: Date; subject: string }): Promise<SignedPut>;
  /** A URL that answers GET and HEAD until `expiresAt`; file name and type of the answer are part of what is signed. */
  signGet(request: {
    key: string;
    expiresAt: Date;
    subject: string;
    fileName?: string | undefined;
    contentType?: string | undefined;
  }): Promise<{ readonly url: string }>;
  /** Size, ETag and age, or undefined when there is no such object. */
  head(key: string): Promise<ObjectHead | undefined>;
  /** `length` bytes from `offset`, fewer at the end of the object. Throws StorageError not_found. */
  read(key: string, offset: number, length: number): Promise<Buffer>;
  /**
   * Gives an object its final key; from then on neither key accepts a PUT. Done again after success, it does nothing.
   * With `etag`, throws StorageError changed when the object is no longer the one that was looked at.
   * Throws StorageError not_found when neither key exists.
   */
  move(from: string, to: string, condition?: { etag?: string | undefined }): Promise<void>;
  /** Removes the object; removing what is not there is no error. */
  delete(key: string): Promise<void>;
  /** Objects whose key starts with `prefix`, in byte order of keys, after the key `after`. `next` is the `after` of the next page. */
  list(
    prefix: string,
    page: { after?: string | undefined; limit: number },
  ): Promise<{ readonly items: readonly ListedObject[]; readonly next: string | undefined }>;
  /**
   * Stores an object made by the service itself, as whole and as durably as an upload; one that isn't small comes in chunks.
   * When the chunks fail, nothing is left of it, and their error is thrown.
   */
  put(key: string, bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<ObjectHead>;
  /** Whether uploads are accepted; false when only a reserve is left. True for backends without a known end. Throws StorageError unavailable. */
  hasRoom(): Promise<boolean>;
  /** Writes, reads and removes a small object. Never throws. */
  check(): Promise<StorageCheck>;
};

/** `unavailable` and `full` are troubles of the backend; the others follow from the call. */
export type StorageErrorCode = 'not_found' | 'changed' | 'immutable' | 'exists' | 'full' | 'unavailable';

/** What a backend throws; `cause` is the backend's own error and stays in the log. */
export class StorageError extends Error {
  readonly code: StorageErrorCode;

  constructor(code: StorageErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'StorageError';
    this.code = code;
  }
}
