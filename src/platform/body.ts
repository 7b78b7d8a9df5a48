// Request bodies: read with a bound on size and time, and parsed without losing digits.
import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { SECOND } from './clock.ts';
import { AppError } from './errors.ts';
import { validationError } from './validation.ts';

const BODY_TIMEOUT_MS = 30 * SECOND;
/** More than any JSON body of the API needs. */
export const MOST_JSON_BYTES = 1024 * 1024;

/**
 * Reads a body to its end. Throws payload_too_large past `maximum` bytes and invalid_input when it breaks off or takes too
 * long. What is left unread is not destroyed: the connection must stay open long enough for the refusal to arrive.
 */
export function readBody(
  stream: Readable | null,
  declaredLength: string | undefined,
  maximum: number,
): Promise<Buffer> {
  if (stream === null) return Promise.resolve(Buffer.alloc(0));
  if (declaredLength !== undefined && Number(declaredLength) > maximum) return Promise.reject(tooLarge(maximum));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const timer = setTimeout(() => settle(new AppError('invalid_input', 'The body came too slowly')), BODY_TIMEOUT_MS);

    function settle(failure?: AppError): void {
      clearTimeout(timer);
      stream?.off('data', take).off('end', finish).off('error', breakOff).off('close', breakOff);
      if (failure === undefined) resolve(Buffer.concat(chunks));
      else {
        stream?.on('error', () => undefined);
        reject(failure);
      }
    }
    function take(chunk: Buffer): void {
      size += chunk.length;
      if (size > maximum) settle(tooLarge(maximum));
      else chunks.push(chunk);
    }
    const finish = () => settle();
    const breakOff = () => settle(new AppError('invalid_input', 'The body broke off'));
    stream.on('data', take).on('end', finish).on('error', breakOff).on('close', breakOff);
  });
}

function tooLarge(maximum: number): AppError {
  return new AppError('payload_too_large', `The body may have at most ${maximum} bytes`);
}

/** The text of a body; bytes that are not UTF-8 are refused instead of being replaced. */
export function decodeText(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw jsonInvalid('The body is not valid UTF-8');
  return bytes.toString('utf8');
}

function jsonInvalid(msg: string): AppError {
  return validationError([{ type: 'json_invalid', loc: ['body'], msg }]);
}

const LONG_NUMBER = /\d{16}/;

/** Parses JSON; whole numbers that a JavaScript number cannot hold exactly become bigint instead of losing digits. */
export function parseJson(text: string): unknown {
  try {
    if (!LONG_NUMBER.test(text)) return JSON.parse(text);
    return JSON.parse(text, (_key, value, context?: { source?: string }) => {
      const source = context?.source;
      const isUnsafe = typeof value === 'number' && source !== undefined && !Number.isSafeInteger(value);
      return isUnsafe && /^-?\d{1,400}$/.test(source) ? BigInt(source) : value;
    });
  } catch {
    throw jsonInvalid('The body is not valid JSON');
  }
}

/** The one file of a multipart/form-data body in the part named `field`. */
export async function parseFile(bytes: Buffer, contentType: string, field: string): Promise<Buffer> {
  let form: FormData;
  try {
    form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': contentType } }).formData();
  } catch {
    throw new AppError('invalid_input', 'The body is not valid multipart/form-data');
  }
  const file = form.get(field);
  if (file === null || typeof file === 'string') {
    throw validationError([{ type: 'missing', loc: ['body', field], msg: 'Field required' }]);
  }
  return Buffer.from(await file.arrayBuffer());
}
