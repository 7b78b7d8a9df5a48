// A worker that computes the SHA-256 checksum of a file in chunks, so that large packages neither block the page nor
// fill the memory.
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

const PIECE = 4 * 1024 * 1024;

interface WorkerScope {
  onmessage: ((event: MessageEvent<File>) => void) | null;
  postMessage(message: { sha256: string } | { failed: true }): void;
}
const scope = self as unknown as WorkerScope;

scope.onmessage = ({ data: file }) => {
  void compute(file).then(
    (hash) => scope.postMessage({ sha256: hash }),
    () => scope.postMessage({ failed: true }),
  );
};

async function compute(file: File): Promise<string> {
  const hash = sha256.create();
  for (let at = 0; at < file.size; at += PIECE) {
    hash.update(new Uint8Array(await file.slice(at, at + PIECE).arrayBuffer()));
  }
  return bytesToHex(hash.digest());
}
