// Reads the body of a response up to a limit.

/** A body has more bytes than allowed. */
export class BodyTooLarge extends Error {}

/** Returns the body of a response. Throws BodyTooLarge if it has more than `maximumBytes`. */
export async function readBoundedBytes(response: Response, maximumBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > maximumBytes) throw new BodyTooLarge(`the response is larger than ${maximumBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Returns the body of a response as text. Throws BodyTooLarge if it has more than `maximumBytes`. */
export async function readBoundedText(response: Response, maximumBytes: number): Promise<string> {
  return (await readBoundedBytes(response, maximumBytes)).toString('utf8');
}
