// Reads little numbers from bytes; refuses to read beyond their end.

/** A package that is not what its name says, or cannot be read here. */
export class UnreadableFile extends Error {}

/** A view with bounds: whatever a hostile file says, nothing outside it is read. */
export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Runs a reader; whatever it throws means that the file cannot be read. */
export function reading<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw error instanceof UnreadableFile ? error : new UnreadableFile('cut off', { cause: error });
  }
}
