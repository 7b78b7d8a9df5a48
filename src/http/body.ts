// Request bodies: read with limits on size and time, and parsed at a bounded cost.
import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import type { App } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import { createByteQueue } from '../lib/byte-queue.ts';
import { SECOND } from '../lib/clock.ts';
import { createConcurrencyLimit, createKeyedConcurrencyLimit } from '../lib/concurrency-limit.ts';
import { AppError } from '../lib/errors.ts';
import { jsonInvalid, parseJson } from '../lib/json-text.ts';
import { networkOf } from '../lib/network.ts';
import { entriesOf, fieldError, validationError } from '../lib/validation.ts';
import type { Exchange } from './exchange.ts';
import { charsetsOf, FORM_TYPE, mediaTypeOf, parseForm } from './forms.ts';
import { readFilePart, readFormParts } from './multipart.ts';
import {
  type FileBody,
  type FormBody,
  isFileBody,
  isFormBody,
  isRawBody,
  type Operation,
  type RawBody,
  type ReceivedForm,
} from './operation.ts';

const BODY_TIMEOUT_MS = 30 * SECOND;
/** Forms with files arrive at least this fast on average after the first seconds, because few of them can be received at once. */
const LEAST_BYTES_PER_SECOND = 32 * 1024;
const UNMEASURED_MS = 5 * SECOND;
/** Default limits. Anonymous bodies are read before anything is known about the caller. */
const MAX_ANONYMOUS_BYTES = 16 * 1024;
const MAX_SIGNED_IN_BYTES = 128 * 1024;
const MULTIPART_OVERHEAD_BYTES = 16 * 1024;
/** Room for the fields of a form with files. */
const FORM_OVERHEAD_BYTES = 64 * 1024;

/** A body before it is read, with what its headers say about it. */
interface SentBody {
  stream: Readable;
  length: string | undefined;
  contentType: string;
  /** The content type without its parameters, in lower case. */
  mediaType: string;
}

/**
 * Reads and parses the body that an operation declares. Form fields are stored in `request` before validation, so that an error
 * page can show them again. `refuseFirst` gets a JSON body that is invalid, and may throw another error. Throws
 * `payload_too_large`, `unsupported_media_type` or `validation_error`.
 */
export async function parseBody(
  app: App,
  operation: Operation,
  request: { exchange: Exchange; form?: Record<string, string> },
  refuseFirst?: (value: unknown) => void,
): Promise<unknown> {
  const { body: declared } = operation;
  if (declared === undefined) return undefined;
  const { exchange } = request;
  const contentType = exchange.header('content-type') ?? '';
  const length = exchange.header('content-length');
  const sent = { stream: exchange.body(), length, contentType, mediaType: mediaTypeOf(contentType) };
  if (isRawBody(declared)) return readRawBody(declared, sent);
  if (isCompressed(exchange.header('content-encoding'))) {
    throw new AppError('unsupported_media_type', 'Send the body without compression');
  }
  if (isFileBody(declared)) return readFile(declared, sent, declared.maximumBytes(app));
  if (isFormBody(declared)) return readForm(declared, sent);
  const takesForm = operation.acceptsForm === true && sent.mediaType === FORM_TYPE;
  const text = await readText(sent, takesForm, maxBytesOf(operation));
  if (text === '' && operation.isBodyOptional === true) return declared.parse({});
  if (text !== '' && sent.mediaType === '') throw unsupported('application/json');
  if (takesForm) request.form = parseForm(text);
  const value = request.form ?? (text === '' ? undefined : parseJson(text));
  const result = declared.safeParse(value);
  if (result.success) return result.data;
  refuseFirst?.(value);
  throw validationError(entriesOf('body', result.error, value));
}

/**
 * Runs requests whose body is a form with files, only a few at the same time: their files stay in memory until they are checked and stored, and
 * anyone may send them. One network has at most half of the places, so that it can't keep out all others.
 */
export const formGateOf = prepared(() => {
  const refusal = () =>
    new AppError(
      'storage_backend_unavailable',
      'Too many files are being sent; try again in a moment',
      {},
      { 'retry-after': '5' },
    );
  const ofNetwork = createKeyedConcurrencyLimit({ max: 2, maxWaiting: 20, refusal });
  const ofAll = createConcurrencyLimit({ max: 4, maxWaiting: 60, refusal });
  return <T>(ipAddress: string | null, work: () => Promise<T>): Promise<T> =>
    ofNetwork(ipAddress === null ? '' : networkOf(ipAddress), () => ofAll(work));
});

/** Of a form whose operation answers too many files itself. */
const MAX_EXCESS_PARTS = 200;

async function readForm(
  { fields: shape, files: declared }: FormBody,
  { stream, length, contentType, mediaType }: SentBody,
): Promise<ReceivedForm<unknown>> {
  if (mediaType !== 'multipart/form-data') throw unsupported('multipart/form-data');
  const { field, maximumCount, maximumBytes, returnsExcess } = declared;
  const maximum = maximumCount * maximumBytes + FORM_OVERHEAD_BYTES;
  const body = await readBody(stream, length, maximum, LEAST_BYTES_PER_SECOND);
  const { fields, files } = readFormParts(
    body,
    contentType,
    field,
    returnsExcess === true ? MAX_EXCESS_PARTS : undefined,
  );
  const excess = findExcess(declared, files);
  if (excess !== undefined && returnsExcess !== true) throw excess;
  const result = shape.safeParse(fields);
  if (!result.success) throw validationError(entriesOf('body', result.error, fields));
  return { fields: result.data, ...(excess === undefined ? { files } : { files: [], excess }) };
}

/** Returns the error of too many or too large files, or undefined. */
function findExcess(
  { field, maximumCount, maximumBytes }: FormBody['files'],
  files: readonly Buffer[],
): AppError | undefined {
  if (files.length > maximumCount) {
    return fieldError('body', [field], 'too_long', `At most ${maximumCount} files are allowed`);
  }
  if (files.some((file) => file.length > maximumBytes)) {
    return new AppError('payload_too_large', `Each file can have at most ${maximumBytes} bytes`, { field });
  }
  return undefined;
}

/** Returns the maximum number of bytes of an operation's JSON or form body. */
export function maxBytesOf({ access, maximumBodyBytes }: Pick<Operation, 'access' | 'maximumBodyBytes'>): number {
  return maximumBodyBytes ?? (access.kind === 'anonymous' ? MAX_ANONYMOUS_BYTES : MAX_SIGNED_IN_BYTES);
}

/** Whether a Content-Encoding header names another coding than `identity`. */
function isCompressed(codings = ''): boolean {
  return codings.split(',').some((coding) => !['', 'identity'].includes(coding.trim().toLowerCase()));
}

/** Reads the text of a JSON body, or of a form if `takesForm`. A body without a type must be empty, which the caller checks. */
async function readText(
  { stream, length, contentType, mediaType }: SentBody,
  takesForm: boolean,
  maximumBytes: number,
): Promise<string> {
  const isJson = mediaType === 'application/json' || mediaType.endsWith('+json');
  if (!takesForm && !isJson && mediaType !== '') throw unsupported('application/json');
  if (charsetsOf(contentType).some((charset) => charset !== 'utf-8' && charset !== 'utf8')) {
    throw new AppError('unsupported_media_type', 'Send the body in UTF-8');
  }
  return decodeText(await readBody(stream, length, maximumBytes));
}

/** Reads the only file of a form. */
async function readFile(
  { field }: FileBody,
  { stream, length, contentType, mediaType }: SentBody,
  maximumBytes: number,
): Promise<Buffer> {
  if (mediaType !== 'multipart/form-data') throw unsupported('multipart/form-data');
  const body = await readBody(stream, length, maximumBytes + MULTIPART_OVERHEAD_BYTES);
  const file = readFilePart(body, contentType, field);
  if (file.length > maximumBytes)
    throw new AppError('payload_too_large', `The file can have at most ${maximumBytes} bytes`);
  return file;
}

/** Reads a raw body. Returns no bytes if it can't be read. */
async function readRawBody({ type, maximumBytes }: RawBody, { stream, length, mediaType }: SentBody): Promise<Buffer> {
  if (mediaType !== type) return Buffer.alloc(0);
  try {
    return await readBody(stream, length, maximumBytes);
  } catch (error) {
    if (error instanceof AppError) return Buffer.alloc(0);
    throw error;
  }
}

function unsupported(expected: string): AppError {
  return new AppError('unsupported_media_type', `Send the body as ${expected}`);
}

/**
 * Reads a body to its end. Throws `payload_too_large` beyond `maximum` bytes and `invalid_input` if it ends early, takes too long or
 * is slower than `leastBytesPerSecond`. Unread data isn't destroyed, because the connection must stay open until the client has read the response.
 */
export function readBody(
  stream: Readable,
  declaredLength: string | undefined,
  maximum: number,
  leastBytesPerSecond = 0,
): Promise<Buffer> {
  if (declaredLength !== undefined && Number(declaredLength) > maximum) return Promise.reject(tooLarge(maximum));
  // The connection was closed while the request waited for its turn, so nothing comes anymore, not even an event.
  if (stream.destroyed && !stream.readableEnded) return Promise.reject(incomplete());
  return new Promise((resolve, reject) => {
    const received = createByteQueue();
    let seconds = 0;
    const timer = setInterval(() => {
      seconds += 1;
      const isLate = seconds * SECOND >= BODY_TIMEOUT_MS;
      const isSlow = seconds * SECOND > UNMEASURED_MS && received.size() < seconds * leastBytesPerSecond;
      if (isLate || isSlow) settle(new AppError('invalid_input', 'The body was sent too slowly'));
    }, SECOND);

    function settle(failure?: AppError): void {
      clearInterval(timer);
      stream.off('data', take).off('end', finish).off('error', breakOff).off('close', breakOff);
      if (failure === undefined) resolve(received.all());
      else {
        stream.on('error', () => undefined);
        reject(failure);
      }
    }
    function take(chunk: Buffer): void {
      if (received.size() + chunk.length > maximum) settle(tooLarge(maximum));
      else received.add(chunk);
    }
    const finish = () => settle();
    const breakOff = () => settle(incomplete());
    stream.on('data', take).on('end', finish).on('error', breakOff).on('close', breakOff);
  });
}

function incomplete(): AppError {
  return new AppError('invalid_input', 'The body is incomplete');
}

function tooLarge(maximum: number): AppError {
  return new AppError('payload_too_large', `The body can have at most ${maximum} bytes`);
}

/** Decodes a body. Rejects invalid UTF-8 instead of replacing it. */
function decodeText(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw jsonInvalid('The body is not valid UTF-8');
  return bytes.toString('utf8');
}
