// Parses untrusted JSON: limits its depth and number of values, and keeps all digits.
import { randomUUID } from 'node:crypto';
import { validationError } from './validation.ts';

/** More than any body of the API has. The limits bound the cost of parsing and validating, independently of the size in bytes. */
const MAX_VALUES = 5_000;
const MAX_DEPTH = 32;
const MAX_DIGITS = 400;
/** Shorter numerals without fraction and exponent are always exact. */
const MIN_INEXACT_LENGTH = 16;

const QUOTE = 34;
const PLUS = 43;
const COMMA = 44;
const MINUS = 45;
const POINT = 46;
const ZERO = 48;
const NINE = 57;
const COLON = 58;
const UPPER_E = 69;
const OPEN_LIST = 91;
const BACKSLASH = 92;
const CLOSE_LIST = 93;
const LOWER_E = 101;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/** A numeral that a JavaScript number can't represent, and its replacement. */
interface Inexact {
  start: number;
  end: number;
  value: bigint | number;
}

/**
 * Parses JSON. A whole number that a JavaScript number can't represent becomes a bigint. A fraction that would be rounded to a
 * whole number becomes NaN, which no schema accepts. Throws `validation_error`.
 */
export function parseJson(text: string): unknown {
  const inexact = scan(text);
  const value = parse(text);
  if (inexact.length === 0) return value;
  // Random and created after the text was sent, so no string in the text can start with it.
  const mark = `${randomUUID()} `;
  let marked = '';
  let from = 0;
  for (const [index, { start, end }] of inexact.entries()) {
    marked += `${text.slice(from, start)}"${mark}${index}"`;
    from = end;
  }
  return restore(parse(marked + text.slice(from)), mark, inexact);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw jsonInvalid('The body is not valid JSON');
  }
}

/** Creates the error for a body that isn't valid JSON or exceeds the limits. */
export function jsonInvalid(msg: string) {
  return validationError([{ type: 'json_invalid', loc: ['body'], msg }]);
}

/** Finds inexact numerals in one pass: exact for valid JSON, harmless for other text. Throws if a limit is exceeded. */
function scan(text: string): Inexact[] {
  const found: Inexact[] = [];
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      depth += 1;
      if (depth > MAX_DEPTH) throw jsonInvalid(`The body can have at most ${MAX_DEPTH} levels`);
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
    else if (code === COMMA || code === COLON) {
      values += 1;
      if (values > MAX_VALUES) throw jsonInvalid(`The body can have at most ${MAX_VALUES} values`);
    } else if (code === MINUS || (code >= ZERO && code <= NINE)) {
      const end = endOfNumeral(text, at);
      const value = inexactValue(text, at, end);
      if (value !== undefined) found.push({ start: at, end, value });
      at = end - 1;
    }
  }
  return found;
}

/** Returns the position of a string's closing quote. */
function endOfString(text: string, start: number): number {
  let end = start;
  for (;;) {
    end = text.indexOf('"', end + 1);
    if (end < 0) return text.length;
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
}

function endOfNumeral(text: string, start: number): number {
  for (let end = start + 1; ; end += 1) {
    const code = text.charCodeAt(end);
    const isPart = (code >= ZERO && code <= NINE) || code === POINT || code === LOWER_E || code === UPPER_E;
    if (!isPart && code !== PLUS && code !== MINUS) return end;
  }
}

/** Returns the replacement of a numeral, or undefined if its number equals it or it's a fraction that is only rounded. */
function inexactValue(text: string, start: number, end: number): bigint | number | undefined {
  const numeral = text.slice(start, end);
  const isWhole = /^-?\d+$/.test(numeral);
  if (isWhole) {
    if (end - start < MIN_INEXACT_LENGTH || end - start > MAX_DIGITS) return undefined;
    return Number.isSafeInteger(Number(numeral)) ? undefined : BigInt(numeral);
  }
  return Number.isInteger(Number(numeral)) && !isExactlyWhole(numeral) ? Number.NaN : undefined;
}

/** Whether a numeral with fraction or exponent, such as `1.50e1`, is a whole number. */
function isExactlyWhole(numeral: string): boolean {
  const [, whole = '', fraction = '', exponent = '0'] = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(numeral) ?? [];
  const digits = whole + fraction;
  let zeros = 0;
  while (zeros < digits.length && digits.charCodeAt(digits.length - 1 - zeros) === ZERO) zeros += 1;
  return zeros === digits.length || fraction.length - zeros <= Number(exponent);
}

function restore(value: unknown, mark: string, inexact: readonly Inexact[]): unknown {
  if (typeof value === 'string') {
    return value.startsWith(mark) ? inexact[Number(value.slice(mark.length))]?.value : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  for (const [key, inner] of Object.entries(value)) Reflect.set(value, key, restore(inner, mark, inexact));
  return value;
}
