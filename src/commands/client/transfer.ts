// Sends a file to a signed URL: one streamed PUT, retried after temporary problems.
import { createReadStream } from 'node:fs';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { Transform } from 'node:stream';
import { describeFailure, Refusal } from '../../lib/failure.ts';
import { type CommandHost, plainText } from '../host.ts';
import type { PackageFile } from './package-file.ts';
import type { Progress } from './progress.ts';
import { readProxiesFor } from './proxy.ts';
import { type Attempt, readRetryAfter, tryRepeatedly } from './retry.ts';

const SILENCE_MS = 120_000;
const CHUNK_BYTES = 256 * 1024;
const LARGEST_REFUSAL_BYTES = 16 * 1024;

export interface SignedUpload {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Uploads the whole file to the signed URL. Throws Refusal if the storage rejects it or five attempts fail. */
export async function sendFile(
  host: CommandHost,
  file: PackageFile,
  upload: SignedUpload,
  progress: Progress,
): Promise<void> {
  const outcome = await tryRepeatedly(host, async () => {
    progress.restart();
    const attempt = await attemptPut(host, file, upload, progress);
    progress.finish();
    return attempt;
  });
  if ('trouble' in outcome) throw new Refusal(`the upload failed: ${outcome.trouble}`);
}

async function attemptPut(
  host: CommandHost,
  file: PackageFile,
  upload: SignedUpload,
  progress: Progress,
): Promise<Attempt<true>> {
  let answer: StorageAnswer;
  try {
    answer = await put(host, file, upload, progress);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    return { trouble: `the connection was lost (${describeFailure(error)})` };
  }
  if (answer.status >= 200 && answer.status < 300) return { done: true };
  const said = `storage returned ${answer.status}${answer.text === '' ? '' : ` ${answer.text}`}`;
  if (answer.status === 408 || answer.status === 429 || answer.status >= 500) {
    return { trouble: said, retryAfterMs: readRetryAfter(answer.retryAfter, host.now()) };
  }
  throw new Refusal(said);
}

type StorageAnswer = { status: number; text: string; retryAfter: string | undefined };

function put(host: CommandHost, file: PackageFile, upload: SignedUpload, progress: Progress): Promise<StorageAnswer> {
  const url = URL.parse(upload.url);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new Refusal("the server returned an upload URL that isn't http or https");
  }
  const { promise, resolve, reject } = Promise.withResolvers<StorageAnswer>();
  const isSecure = url.protocol === 'https:';
  const open = isSecure ? httpsRequest : httpRequest;
  const proxyEnv = readProxiesFor(host, url);
  const own = proxyEnv === undefined ? {} : { proxyEnv };
  const request = open(url, {
    method: 'PUT',
    headers: { ...upload.headers, 'content-length': file.size, 'content-type': 'application/octet-stream' },
    agent: isSecure ? new HttpsAgent(own) : new HttpAgent(own),
  });
  // Reads exactly as many bytes as were hashed, even if the file grows.
  const bytes = createReadStream(file.path, { highWaterMark: CHUNK_BYTES, end: file.size - 1 });
  const counted = new Transform({
    highWaterMark: CHUNK_BYTES,
    transform(chunk: Buffer, _encoding, done) {
      sent += chunk.length;
      progress.report(sent);
      done(null, chunk);
    },
    flush(done) {
      done(sent === file.size ? null : new Refusal(`${file.path} was truncated while it was uploaded`));
    },
  });
  let sent = 0;
  const fail = (error: Error): void => {
    bytes.destroy();
    request.destroy();
    reject(error);
  };
  request.setTimeout(SILENCE_MS, () => fail(new Error(`no progress for ${SILENCE_MS / 1000} s`)));
  request.on('error', fail);
  bytes.on('error', (error) => fail(new Refusal(`cannot read ${file.path}: ${error.message}`)));
  counted.on('error', fail);
  // The storage may reject the request before it has read everything.
  request.on('response', (response) => {
    readAnswer(response)
      .then(resolve, reject)
      .finally(() => {
        bytes.destroy();
        request.destroy();
      });
  });
  bytes.pipe(counted).pipe(request);
  return promise;
}

async function readAnswer(response: IncomingMessage): Promise<StorageAnswer> {
  let body = '';
  response.setEncoding('utf8');
  for await (const chunk of response) {
    body += chunk;
    if (body.length > LARGEST_REFUSAL_BYTES) break;
  }
  // The provider's own XML: <Error><Code>…</Code><Message>…</Message></Error>.
  const parts = ['Code', 'Message'].flatMap((name) => new RegExp(`<${name}>([^<]{1,300})`).exec(body)?.[1] ?? []);
  return {
    status: response.statusCode ?? 0,
    text: plainText(parts.join(': ')),
    retryAfter: response.headers['retry-after'],
  };
}
