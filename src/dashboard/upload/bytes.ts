// Reads binary data with bounds checks.

/** The file has another format than expected, or can't be read. */
export class UnreadableFile extends Error {}

/** Returns a view of exactly these bytes, so that a malicious file can't cause reads beyond them. */
export function viewBytes(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Runs a reader and turns any error into UnreadableFile. */
export function readSafely<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw error instanceof UnreadableFile ? error : new UnreadableFile('cut off', { cause: error });
  }
}
