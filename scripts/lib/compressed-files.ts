// Files of a build that are also written compressed. What the last build compressed is used again, because the tests and the
// executable are built from the same sources, and compressing takes longer than the rest.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';

interface Compressed {
  gzip: Buffer;
  brotli: Buffer;
}

const hashOf = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');

/** Removes the folder of the last build. Returns a function that writes a file and its `.gz` and `.br`, and returns the bytes of the `.gz`. */
export function replaceBuild(folder: string): (file: string, content: Uint8Array) => number {
  const earlier = readCompressed(folder);
  rmSync(folder, { recursive: true, force: true });
  return (file, content) => {
    const found = earlier.get(hashOf(content));
    const { gzip, brotli } =
      found !== undefined && isComplete(found, content)
        ? found
        : { gzip: gzipSync(content, { level: 9 }), brotli: brotliCompressSync(content) };
    writeFileSync(file, content);
    writeFileSync(`${file}.gz`, gzip);
    writeFileSync(`${file}.br`, brotli);
    return gzip.length;
  };
}

/** Whether the content is all there: a build that was interrupted leaves parts of files. */
function isComplete({ gzip, brotli }: Compressed, content: Uint8Array): boolean {
  try {
    return gunzipSync(gzip).equals(content) && brotliDecompressSync(brotli).equals(content);
  } catch {
    return false;
  }
}

/** Returns the compressed versions of each file in a folder, by the hash of its content. */
function readCompressed(folder: string): ReadonlyMap<string, Compressed> {
  if (!existsSync(folder)) return new Map();
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  return new Map(
    paths
      .filter((path) => existsSync(`${path}.gz`) && existsSync(`${path}.br`))
      .map((path) => [
        hashOf(readFileSync(path)),
        { gzip: readFileSync(`${path}.gz`), brotli: readFileSync(`${path}.br`) },
      ]),
  );
}
