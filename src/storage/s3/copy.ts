// Copies objects that are too large for one copy.
import type { S3Client, S3Limits } from './client.ts';
import { abortUpload, beginUpload, completeUpload } from './parts.ts';
import { textOf } from './xml.ts';

const CONCURRENT_PARTS = 4;

/** Copies an object in parts, each on the condition that the source still has this ETag. */
export async function copyInParts(
  client: S3Client,
  options: {
    from: string;
    to: string;
    source: { etag: string; size: number };
    partBytes: number;
    limits: S3Limits;
  },
): Promise<void> {
  const { from, to, source, partBytes, limits } = options;
  const { location } = client;
  const uploadId = await beginUpload(client, to);
  const count = Math.ceil(source.size / partBytes);
  const etags = new Array<string>(count).fill('');
  let next = 0;

  async function copyParts(): Promise<void> {
    while (next < count) {
      const index = next;
      next += 1;
      const first = index * partBytes;
      const last = Math.min(first + partBytes, source.size) - 1;
      const headers = {
        'x-amz-copy-source': `/${location.bucket}/${location.nameOf(from)}`,
        'x-amz-copy-source-if-match': source.etag,
        'x-amz-copy-source-range': `bytes=${first}-${last}`,
      };
      const query = { partNumber: String(index + 1), uploadId };
      const answer = await client.call({ method: 'PUT', key: to, query, headers }, limits);
      etags[index] = textOf(answer.body.toString(), 'ETag') ?? '';
    }
  }

  const copying = await Promise.allSettled(Array.from({ length: CONCURRENT_PARTS }, copyParts));
  try {
    for (const result of copying) if (result.status === 'rejected') throw result.reason;
    await completeUpload(client, to, { id: uploadId, etags, size: source.size });
  } catch (error) {
    await abortUpload(client, to, uploadId);
    throw error;
  }
}
