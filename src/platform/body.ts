// Request bodies: read with a bound on size and time, and parsed without losing digits.
import { SECOND } from './clock.ts';
import { AppError } from './errors.ts';
import { validationError } from './validation.ts';

const BODY_TIMEOUT_MS = 30 * SECOND;
/** More than any JSON body of the API needs. */
export const MOST_JSON_BYTES = 1024 * 1024;

/** Reads a body to its end. Throws payload_too_large past `maximum` bytes and invalid_input when it breaks off or takes too long. */
export async function readBody(
  stream: AsyncIterable<Uint8Array> | null,
  declaredLength: string | undefined,
  maximum: number,
): Promise<Buffer> {
  if (stream === null) return Buffer.alloc(0);
  if (declaredLength !== undefined && Number(declaredLength) > maximum) throw tooLarge(maximum);
  const iterator = stream[Symbol.asyncIterator]();
  const chunks: Uint8Array[] = [];
  let size = 0;
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new AppError('invalid_input', 'The body came too slowly')), BODY_TIMEOUT_MS);
  });
  try {
    while (true) {
      const next = await Promise.race([iterator.next(), expired]);
      if (next.done === true) return Buffer.concat(chunks);
      size += next.value.length;
      if (size > maximum) throw tooLarge(maximum);
      chunks.push(next.value);
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('invalid_input', 'The body broke off');
  } finally {
    clearTimeout(timer);
  }
}

function tooLarge(maximum: number): AppError {
  return new AppError('payload_too_large', `The body may have at most ${maximum} bytes`, {}, { connection: 'close' });
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
    throw validationError([{ type: 'json_invalid', loc: ['body'], msg: 'The body is not valid JSON' }]);
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
