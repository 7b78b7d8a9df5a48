// Reads the file of a multipart/form-data body (RFC 7578) without copying it. Rejects anything that isn't a plain form.
import { isUtf8 } from 'node:buffer';
import { AppError } from '../lib/errors.ts';
import { fieldError } from '../lib/validation.ts';

const MAX_PARTS = 16;
const MAX_HEADER_BYTES = 4096;

interface Part {
  name: string | undefined;
  isFile: boolean;
  content: Buffer;
}

/** Returns the file in the part named `field`. Throws `invalid_input`, or `validation_error` if there's no file or more than one. */
export function readFilePart(body: Buffer, contentType: string, field: string): Buffer {
  const named = readParts(body, boundaryOf(contentType)).filter(({ name }) => name === field);
  const [file, ...others] = named;
  if (others.length > 0) throw fieldError('body', [field], 'too_long', 'Send the file once');
  if (file?.isFile !== true) throw fieldError('body', [field], 'missing', 'Field required');
  return file.content;
}

/**
 * Returns the text fields, of which the last one of a name counts, and the files in the parts named `field` that aren't empty.
 * Throws `invalid_input`.
 */
export function readFormParts(
  body: Buffer,
  contentType: string,
  field: string,
  maxParts = MAX_PARTS,
): { fields: Record<string, string>; files: Buffer[] } {
  const fields: Record<string, string> = Object.create(null);
  const files: Buffer[] = [];
  for (const { name, isFile, content } of readParts(body, boundaryOf(contentType), maxParts)) {
    if (isFile) {
      if (name === field && content.length > 0) files.push(content);
    } else if (name !== undefined) {
      if (!isUtf8(content)) throw new AppError('invalid_input', 'The fields of the form are not valid UTF-8');
      fields[name] = content.toString('utf8');
    }
  }
  return { fields: { ...fields }, files };
}

function notAForm(): AppError {
  return new AppError('invalid_input', 'The body is not valid multipart/form-data');
}

function boundaryOf(contentType: string): string {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"\\]{1,70})"|([^\s";,]{1,70}))\s*(?:;|$)/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) throw notAForm();
  return boundary;
}

function readParts(body: Buffer, boundary: string, maxParts = MAX_PARTS): Part[] {
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  const first = delimiter.subarray(2);
  // Text before the first part is legal but useless, and no client sends it.
  if (!body.subarray(0, first.length).equals(first)) throw notAForm();
  const parts: Part[] = [];
  let at = first.length;
  while (body.toString('latin1', at, at + 2) !== '--') {
    const end = body.indexOf(delimiter, at);
    if (end < 0 || parts.length >= maxParts) throw notAForm();
    parts.push(readPart(body.subarray(at, end)));
    at = end + delimiter.length;
  }
  return parts;
}

function readPart(part: Buffer): Part {
  const headerEnd = part.subarray(0, MAX_HEADER_BYTES).indexOf('\r\n\r\n');
  if (headerEnd < 0 || part.toString('latin1', 0, 2) !== '\r\n') throw notAForm();
  const disposition = part
    .toString('utf8', 2, headerEnd)
    .split('\r\n')
    .find((line) => /^content-disposition:\s*form-data\s*(?:;|$)/i.test(line));
  if (disposition === undefined) throw notAForm();
  const name = /;\s*name="([^"]*)"/i.exec(disposition)?.[1] ?? /;\s*name=([^\s";]+)/i.exec(disposition)?.[1];
  return { name, isFile: /;\s*filename\*?=/i.test(disposition), content: part.subarray(headerEnd + 4) };
}
