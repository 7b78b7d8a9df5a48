// An HTTP client for fixtures and tests. A request by `fetch` takes three times the processor time, and most tests send requests.
import { Agent, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import { request as requestSecurely, Agent as SecureAgent } from 'node:https';
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';

export interface Received {
  status: number;
  headers: Headers;
  text: string;
}

interface Sent {
  method: string;
  headers: Headers;
  body?: NonNullable<RequestInit['body']>;
}

/** Shorter than the server keeps an idle connection (65 s), so that no request is sent on one that it is closing. */
const IDLE_MS = 30_000;
const kept = { keepAlive: true, timeout: IDLE_MS };
const agents = { 'http:': new Agent(kept), 'https:': new SecureAgent(kept) };

/** The fields that `fetch` adds to every request, without the one for compressed responses. */
const USUAL = { accept: '*/*', 'accept-language': '*', 'sec-fetch-mode': 'cors', 'user-agent': 'node' };

const decoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  br: brotliDecompressSync,
  deflate: inflateSync,
  gzip: gunzipSync,
  zstd: zstdDecompressSync,
};

/** Sends a request and returns the whole response, decompressed. Doesn't follow redirects. Rejects with the error of the connection. */
export async function sendRequest(url: URL, { method, headers, body }: Sent): Promise<Received> {
  const fields: OutgoingHttpHeaders = { ...USUAL, ...Object.fromEntries(headers) };
  let bytes: string | Buffer | undefined;
  if (typeof body === 'string') {
    bytes = body;
    fields['content-type'] ??= 'text/plain;charset=UTF-8';
  } else if (ArrayBuffer.isView(body)) {
    bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  } else if (body !== undefined) {
    const encoded = new Response(body);
    bytes = Buffer.from(await encoded.arrayBuffer());
    const type = encoded.headers.get('content-type');
    if (type !== null) fields['content-type'] ??= type;
  }
  if (bytes !== undefined) fields['content-length'] = Buffer.byteLength(bytes);
  else if (method === 'POST' || method === 'PUT') fields['content-length'] = 0;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const isSecure = url.protocol === 'https:';
    const agent = isSecure ? agents['https:'] : agents['http:'];
    const sent = (isSecure ? requestSecurely : request)(url, { agent, method, headers: fields }, resolve);
    sent.on('error', reject);
    sent.end(bytes);
  });
  // An iterator over the chunks would take longer than the request.
  const whole = await new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('end', () => resolve(Buffer.concat(chunks)));
    response.on('error', reject);
  });
  const { rawHeaders, statusCode: status = 0 } = response;
  const received = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2)
    received.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
  const decode = decoders[received.get('content-encoding') ?? ''];
  return { status, headers: received, text: (decode === undefined ? whole : decode(whole)).toString() };
}
