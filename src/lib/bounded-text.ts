// Reads the body of a response up to a limit.

/** Returns the body of a response as text. Throws an Error if it has more than `maximumBytes`. */
export async function readBoundedText(response: Response, maximumBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > maximumBytes) throw new Error(`the response is larger than ${maximumBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
