// Uploads in progress: at most one per key (the newest), and a limit on the bytes of each group of keys.
import { ProviderError } from '../provider-error.ts';

/** One upload in progress. `close` must be called when it ends, also after a failure. */
export type ActiveUpload = {
  /** Aborts when a newer upload of the same key starts. */
  readonly superseded: AbortSignal;
  /** Counts bytes beyond the announced ones. Throws ProviderError 503 if the group exceeds its limit. */
  grow(bytes: number): void;
  close(): void;
};

export type ActiveUploads = {
  /**
   * Starts an upload of `bytes` announced bytes. Cancels an older upload of the same key and waits until it's cleaned up. Throws
   * ProviderError 503 if the group exceeds its limit (the older upload continues), and 409 if a newer upload arrived during the
   * wait.
   */
  open(key: string, group: string | undefined, bytes: number): Promise<ActiveUpload>;
};

interface Entry {
  group: string | undefined;
  bytes: number;
  readonly controller: AbortController;
  readonly closed: Promise<void>;
}

/** Bodies of unknown length are counted in steps of this size. */
const STEP_BYTES = 1024 * 1024;

/** `bytesPerGroup` limits the announced or received bytes of uploads of one group. Keys without a group have no limit. */
export function createActiveUploads({ bytesPerGroup }: { bytesPerGroup: number }): ActiveUploads {
  const entries = new Map<string, Entry>();

  function admit(key: string, group: string | undefined, bytes: number): void {
    if (group === undefined) return;
    let total = bytes;
    for (const [other, entry] of entries) if (other !== key && entry.group === group) total += entry.bytes;
    if (total <= bytesPerGroup) return;
    throw new ProviderError(
      503,
      'ServerBusy',
      `Uploads in progress in this project may have ${bytesPerGroup} bytes together. Try again when others have finished.`,
      { 'Retry-After': '30' },
    );
  }

  async function open(key: string, group: string | undefined, bytes: number): Promise<ActiveUpload> {
    admit(key, group, bytes);
    const older = entries.get(key);
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const entry: Entry = { group, bytes, controller: new AbortController(), closed };
    let sent = 0;
    entries.set(key, entry);
    const close = (): void => {
      if (entries.get(key) === entry) entries.delete(key);
      resolve();
    };
    older?.controller.abort();
    // The older upload waits for earlier ones, so at most one upload of a key has a file.
    await older?.closed;
    if (entry.controller.signal.aborted) {
      close();
      throw superseded();
    }
    return {
      superseded: entry.controller.signal,
      grow(count) {
        sent += count;
        if (sent <= entry.bytes) return;
        const counted = Math.ceil(sent / STEP_BYTES) * STEP_BYTES;
        admit(key, group, Math.min(counted, Math.max(sent, bytesPerGroup)));
        entry.bytes = counted;
      },
      close,
    };
  }

  return { open };
}

/** Creates the error for an upload that was replaced by a newer one to the same URL. */
export function superseded(): ProviderError {
  return new ProviderError(409, 'UploadSuperseded', 'A newer upload to this address has replaced this one.');
}
