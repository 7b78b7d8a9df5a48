// An HTTP client for fixtures and tests. A request by `fetch` takes four times the processor time, and most tests send requests.
import { Agent, type IncomingMessage, request } from 'node:http';
import { request as requestSecurely, Agent as SecureAgent } from 'node:https';
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';

export interface Received {
  status: number;
  /** Made at the first use, because most tests look at none of them. */
  readonly headers: Headers;
  /** The media type with its parameters, empty if there is none. */
  type: string;
  text: string;
}

interface Sent {
  method: string;
  /** Names in lower case if they aren't `Headers`. */
  headers: Headers | Readonly<Record<string, string>>;
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
  const given = headers instanceof Headers ? Object.fromEntries(headers) : headers;
  const fields: Record<string, string> = { host: url.host, ...USUAL, ...given };
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
  if (bytes !== undefined) fields['content-length'] = String(Buffer.byteLength(bytes));
  else if (method === 'POST' || method === 'PUT') fields['content-length'] = '0';
  // Node copies the options of a URL, and checks and keeps each field of an object.
  const options = {
    method,
    protocol: url.protocol,
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port,
    path: url.pathname + url.search,
    headers: Object.entries(fields).flat(),
  };
  const [response, whole] = await new Promise<[IncomingMessage, Buffer]>((resolve, reject) => {
    const sent =
      url.protocol === 'https:'
        ? requestSecurely({ ...options, agent: agents['https:'] })
        : request({ ...options, agent: agents['http:'] });
    sent.on('error', reject);
    sent.on('response', (incoming) => {
      const chunks: Buffer[] = [];
      // An iterator over the chunks would take longer than the request.
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => resolve([incoming, Buffer.concat(chunks)]));
      incoming.on('error', reject);
    });
    sent.end(bytes);
  });
  return toReceived(response, whole);
}

function toReceived({ headers, rawHeaders, statusCode: status = 0 }: IncomingMessage, whole: Buffer): Received {
  const decode = decoders[headers['content-encoding'] ?? ''];
  let made: Headers | undefined;
  return {
    status,
    get headers() {
      made ??= toHeaders(rawHeaders);
      return made;
    },
    type: headers['content-type'] ?? '',
    text: (decode === undefined ? whole : decode(whole)).toString(),
  };
}

/** Returns fields as Node lists them, name after value after name, in the form of `fetch`. */
function toHeaders(rawHeaders: readonly string[]): Headers {
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2)
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
  return headers;
}
