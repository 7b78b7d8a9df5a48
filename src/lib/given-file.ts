// Files that an operator names in the configuration.
import { readFileSync, statSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';

/** The file is a named pipe. */
export class NamedPipeError extends Error {
  constructor() {
    super('it is a named pipe');
  }
}

/** Pipes that the process has open already, such as `/dev/stdin`. */
const OPEN_DESCRIPTOR = /^\/(?:dev|proc\/[^/]+)\/(?:stdin|fd\/\d+)$/;

/**
 * Reads a file. Throws NamedPipeError for a named pipe, which would stop the whole process until another one writes into it, or the
 * system's error.
 */
export function readGivenFile(path: string): Buffer {
  if (!OPEN_DESCRIPTOR.test(path) && statSync(path).isFIFO()) throw new NamedPipeError();
  return readFileSync(path);
}

/** Reads a file like `readGivenFile`, without stopping the process while its disk is slow. */
export async function loadGivenFile(path: string): Promise<Buffer> {
  if (!OPEN_DESCRIPTOR.test(path) && (await stat(path)).isFIFO()) throw new NamedPipeError();
  return readFile(path);
}
