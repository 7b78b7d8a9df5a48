// The errors of API requests.

/** A field error of the error envelope (docs/specification/conventions.md#validation-errors). */
export interface FieldError {
  /** The path in the body, joined by dots. */
  field: string;
  type: string;
  message: string;
}

/** The type of a field error whose message is a text of the app, in the user's language. */
export const OWN_TEXT = 'own_text';

/** An error response of the server. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: Record<string, unknown>;
  readonly requestId: string | null;
  /** The seconds of the Retry-After header. */
  readonly retryAfter: number | null;

  constructor(status: number, envelope: unknown, headers: Headers, now = Date.now()) {
    const { error, message, details } = readEnvelope(envelope);
    super(message);
    this.status = status;
    this.code = error;
    this.details = details;
    this.requestId = headers.get('x-request-id');
    this.retryAfter = readRetryAfter(headers.get('retry-after'), now);
  }

  /** Whether an id in the path is malformed, so that the resource can't exist. */
  get hasInvalidPath(): boolean {
    const { errors } = this.details;
    if (this.status !== 400 || !Array.isArray(errors) || errors.length === 0) return false;
    return errors.every((entry: unknown) => isRecord(entry) && Array.isArray(entry.loc) && entry.loc[0] === 'path');
  }

  /** The invalid fields of the body, with the first error of each. */
  get fields(): FieldError[] {
    const { errors, field } = this.details;
    if (typeof field === 'string') return [{ field, type: this.code, message: this.message }];
    if (!Array.isArray(errors)) return [];
    const problems = errors.flatMap((entry: unknown) => readProblem(entry) ?? []);
    return problems.filter(({ field: name }, index) => problems.findIndex((one) => one.field === name) === index);
  }
}

/** An error response with texts that the page has for it. */
export class ExplainedError extends ApiError {
  readonly words: { title: string; text: string };

  constructor(error: ApiError, words: { title: string; text: string }) {
    const { status, code, details, requestId, retryAfter } = error;
    const headers = new Headers(requestId === null ? {} : { 'x-request-id': requestId });
    if (retryAfter !== null) headers.set('retry-after', String(retryAfter));
    super(status, { error: code, message: words.title, details }, headers);
    this.words = words;
  }
}

/** A failure that no error response describes, with the texts of the page. */
export class PageError extends Error {
  readonly words: { title: string; text: string };

  constructor(words: { title: string; text: string }) {
    super(words.title);
    this.words = words;
  }
}

/** The server didn't respond: the network is down, or the server is restarting. */
export class ConnectionError extends Error {}

/** The device or security key already has a passkey for the account. */
export class PasskeyExistsError extends Error {}

/** Returns whether an error means that nobody is signed in. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401;
}

/** Returns whether a change may have been refused because something was changed elsewhere since it was read. */
export function isOutdated(error: unknown): boolean {
  return isGone(error) || (error instanceof ApiError && error.code === 'operation_not_allowed');
}

/** Returns whether an error means that something doesn't exist, or no longer for the user. */
export function isGone(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 404;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A proxy can respond without an envelope; the message is then empty. */
function readEnvelope(body: unknown): { error: string; message: string; details: Record<string, unknown> } {
  if (!isRecord(body)) return { error: 'unknown', message: '', details: {} };
  return {
    error: typeof body.error === 'string' ? body.error : 'unknown',
    message: typeof body.message === 'string' ? body.message : '',
    details: isRecord(body.details) ? body.details : {},
  };
}

function readProblem(entry: unknown): FieldError | undefined {
  if (!isRecord(entry) || !Array.isArray(entry.loc)) return undefined;
  const [place, ...path] = entry.loc;
  if (place !== 'body' || path.length === 0) return undefined;
  return { field: path.join('.'), type: String(entry.type ?? ''), message: String(entry.msg ?? '') };
}

/** Returns the seconds of a Retry-After header, which contains a number or a date. */
function readRetryAfter(value: string | null, now: number): number | null {
  if (value === null) return null;
  const seconds = /^\d+$/.test(value.trim()) ? Number(value) : (Date.parse(value) - now) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : null;
}
