// The interface of storage backends: a local folder (storage/local/), an S3 bucket (storage/s3/) and the Azure containers of
// organizations (storage/azure/).
import type { ObjectPlace, ServerBackend, StorageBackend } from '../lib/storage-backends.ts';

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

/** A stored object with its last bytes, if the backend returned them with the metadata. `tail` is the whole object if it's as long. */
export type ObjectHeadAndTail = ObjectHead & { readonly tail?: Buffer };

/**
 * The result of a move. `isSourceLeft`: the backend can only copy, so the source must be deleted once the target is recorded, and
 * again when the signed PUTs of its key have expired.
 */
export type MovedObject = ObjectHead & { readonly isSourceLeft: boolean };

/** An object that `deleteMany` couldn't delete. */
export type DeleteFailure = { readonly key: string; readonly error: unknown };

/** One item of a listing. */
export type ListedObject = { readonly key: string; readonly size: number; readonly modifiedAt: Date };

/** With less free space the server isn't ready. */
export const MIN_FREE_BYTES = 256 * 1024 ** 2;

/** Result of a storage check. `freeBytes` is undefined for backends without a known limit. */
export type StorageCheck = { readonly ok: boolean; readonly detail: string; readonly freeBytes: number | undefined };

/**
 * Bytes are transferred through signed URLs; the service itself only reads metadata, moves and deletes. Keys: see object-key.ts.
 * Every method throws StorageError `unavailable` if the backend can't be reached; then nothing says whether an object exists.
 */
export type Storage = {
  readonly backend: StorageBackend;
  /** Where it stores objects: a folder, or the URL of a bucket. */
  readonly location: string;
  /**
   * Returns a URL that accepts PUT of this object until `expiresAt`, any number of times, until the object is moved. `size` and
   * `contentType` are bound to the URL if the backend can.
   */
  signPut(request: {
    key: string;
    expiresAt: Date;
    subject: string;
    size?: number | undefined;
    contentType?: string | undefined;
    /** Whose object it is, if it's stored in the organization's own container when there is one. */
    organizationId?: string | undefined;
  }): Promise<SignedPut>;
  /**
   * Returns a URL for GET and HEAD until `expiresAt`. The signature covers the file name and content type of the response. With
   * `method`, the URL may work for this method only, which can save the client a redirect.
   */
  signGet(request: {
    key: string;
    expiresAt: Date;
    subject: string;
    fileName?: string | undefined;
    contentType?: string | undefined;
    method?: 'GET' | 'HEAD' | undefined;
  }): Promise<{ readonly url: string }>;
  /**
   * Returns the object's metadata, or undefined if it doesn't exist. With `tailBytes`, remote backends add its last bytes. With
   * several backends, `near` is the key of an object that it can only be beside.
   */
  head(key: string, options?: { tailBytes?: number; near?: string }): Promise<ObjectHeadAndTail | undefined>;
  /** Returns a small object completely, or undefined if it doesn't exist. */
  get(key: string): Promise<Buffer | undefined>;
  /**
   * Returns `length` bytes from `offset`, fewer at the end of the object. Throws StorageError `not_found`, or `changed` if the
   * object no longer has the given ETag and the backend can tell.
   */
  read(key: string, offset: number, length: number, condition?: { etag?: string | undefined }): Promise<Buffer>;
  /**
   * Moves an object to its final key. Idempotent. With `etag`, throws StorageError `changed` if the object has changed since;
   * `size` saves a request. Throws StorageError `not_found` if neither key exists.
   */
  move(
    from: string,
    to: string,
    condition?: { etag?: string | undefined; size?: number | undefined },
  ): Promise<MovedObject>;
  /** Deletes the object. Succeeds if it doesn't exist. */
  delete(key: string): Promise<void>;
  /** Deletes objects in as few requests as possible. Returns those that couldn't be deleted, and never throws. */
  deleteMany(keys: readonly string[]): Promise<readonly DeleteFailure[]>;
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
   * Whether uploads are accepted; false if only a reserve is left. True for backends without a known limit that can be reached.
   * Throws StorageError `unavailable`. `organizationId`: as for `signPut`.
   */
  hasRoom(organizationId?: string): Promise<boolean>;
  /**
   * Whether this installation may delete objects that it has no row of. A backend that several servers can reach remembers the
   * first `owner`, or replaces `previous`, the same installation with another key. Throws StorageError `unavailable`.
   */
  claim(owner: string, previous?: string): Promise<boolean>;
  /** Writes, reads and deletes a small object. Never throws. */
  check(): Promise<StorageCheck>;
  /** Since when it has been unavailable, if it's watched (storage/watch.ts); undefined if the last request succeeded. */
  failure?(): BackendFailure | undefined;
};

/** The first failure since the last success. */
export type BackendFailure = { readonly at: Date; readonly text: string };

/**
 * All backends of a server and the containers of organizations as one storage. `backend` is the one for new objects other than
 * packages of organizations with a container. `list`, `claim` and `check` are about the server's backends.
 */
export type RoutedStorage = Storage & {
  readonly backend: ServerBackend;
  /** The place of an object as far as it's recorded; otherwise the backend for new objects. */
  placeOf(key: string): ObjectPlace;
  /** The place of an object. Asks the backends if it isn't recorded. Throws StorageError `unavailable`. */
  locate(key: string): Promise<ObjectPlace>;
  /** Where new packages of an organization are stored. */
  placeForNew(organizationId: string): ObjectPlace;
  /** The storage at a place. Throws StorageError `unavailable` if it isn't in use. */
  at(place: ObjectPlace): Storage;
  /** Does everything that builds need in a container of an organization. Throws StorageError. */
  probe(containerId: string): Promise<void>;
  /** Deletes objects at one place, regardless of where they're recorded. Returns those that couldn't be deleted. */
  deleteFrom(place: ObjectPlace, keys: readonly string[]): Promise<readonly DeleteFailure[]>;
  /** The backends of the server in use, by name. */
  readonly attached: ReadonlyMap<ServerBackend, Storage>;
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

/** Whether an error is a StorageError with a code. */
export function isStorageError(error: unknown, code: StorageErrorCode): boolean {
  return error instanceof StorageError && error.code === code;
}
