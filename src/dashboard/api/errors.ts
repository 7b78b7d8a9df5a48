// What a request can end with other than its answer.

/** One field that was refused, as the envelope names it (docs/specification/conventions.md#validation-errors). */
export interface FieldProblem {
  /** Path inside the body, joined by dots. */
  field: string;
  type: string;
  message: string;
}

/** A refusal of the server. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: Record<string, unknown>;
  readonly requestId: string | null;
  /** Seconds to wait, where the server said so. */
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

  /** What was asked for cannot be there: the address names it by what is no id. */
  get isMisaddressed(): boolean {
    const { errors } = this.details;
    if (this.status !== 400 || !Array.isArray(errors) || errors.length === 0) return false;
    return errors.every((entry: unknown) => isRecord(entry) && Array.isArray(entry.loc) && entry.loc[0] === 'path');
  }

  /** The fields of the body that were refused; the first problem of each. */
  get fields(): FieldProblem[] {
    const { errors, field } = this.details;
    if (typeof field === 'string') return [{ field, type: this.code, message: this.message }];
    if (!Array.isArray(errors)) return [];
    const problems = errors.flatMap((entry: unknown) => readProblem(entry) ?? []);
    return problems.filter(({ field: name }, index) => problems.findIndex((one) => one.field === name) === index);
  }
}

/** Nothing answered: the network, or a server that is being restarted. */
export class LostConnection extends Error {}

/** Whether nobody is signed in any more. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Answers of something in between need not be envelopes; then there is no message. */
function readEnvelope(body: unknown): { error: string; message: string; details: Record<string, unknown> } {
  if (!isRecord(body)) return { error: 'unknown', message: '', details: {} };
  return {
    error: typeof body.error === 'string' ? body.error : 'unknown',
    message: typeof body.message === 'string' ? body.message : '',
    details: isRecord(body.details) ? body.details : {},
  };
}

function readProblem(entry: unknown): FieldProblem | undefined {
  if (!isRecord(entry) || !Array.isArray(entry.loc)) return undefined;
  const [place, ...path] = entry.loc;
  if (place !== 'body' || path.length === 0) return undefined;
  return { field: path.join('.'), type: String(entry.type ?? ''), message: String(entry.msg ?? '') };
}

/** Seconds of a Retry-After header, which holds a number or a date. */
function readRetryAfter(value: string | null, now: number): number | null {
  if (value === null) return null;
  const seconds = /^\d+$/.test(value.trim()) ? Number(value) : (Date.parse(value) - now) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : null;
}
