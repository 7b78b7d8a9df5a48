// Examples of the OpenAPI document: requests and responses recorded from tests (scripts/examples), and the errors that any operation
// can return.
import { readAsset } from '../lib/assets.ts';
import { AppError, type ErrorCode, envelope } from '../lib/errors.ts';
import type { Json } from './openapi-components.ts';

/** Where the examples are: one JSON object with an ExampleExchange for each operation, by its id. */
export const EXAMPLES_ASSET = 'http/examples.json';
/** The address of the server in the examples. */
export const EXAMPLE_SERVER = 'https://builds.example.com';

export interface ExampleExchange {
  request: {
    params?: Record<string, string>;
    query?: Record<string, string>;
    /** The media type, if there's a body. */
    type?: string;
    /** A JSON body, or the fields of a form. */
    body?: unknown;
  };
  response: { type?: string; location?: string; body?: unknown };
  /** Errors that only this operation returns like this, by code. */
  errors?: Record<string, { status: number; body: unknown }>;
}

export type Examples = Readonly<Record<string, ExampleExchange>>;

/** Reads the examples, with the address of a server in them. Takes a few milliseconds, so call it when a document is built. */
export function readExamples(baseUrl: string = EXAMPLE_SERVER): Examples {
  const text = readAsset(EXAMPLES_ASSET)
    .toString('utf8')
    .replaceAll(EXAMPLE_SERVER, baseUrl)
    .replaceAll(encodeURIComponent(EXAMPLE_SERVER), encodeURIComponent(baseUrl))
    // Passkeys name the host without scheme and port.
    .replaceAll(new URL(EXAMPLE_SERVER).hostname, new URL(baseUrl).hostname);
  return JSON.parse(text);
}

/** Errors with the same text wherever they occur, by status. */
const sharedErrors: Readonly<Record<number, readonly ErrorCode[]>> = {
  401: ['unauthorized'],
  402: ['trial_ended', 'payment_required', 'billing_suspended'],
  403: ['permission_denied', 'insufficient_role', 'email_not_verified', 'mfa_enrollment_required'],
  404: ['not_found'],
  413: ['payload_too_large'],
  415: ['unsupported_media_type'],
  500: ['internal_error'],
};

/** Further errors of 402, of operations that cost something. */
const unpaidErrors: readonly ErrorCode[] = ['prepaid_credit_exhausted', 'spend_cap_exceeded'];

export const sharedErrorCodes: ReadonlySet<string> = new Set([...Object.values(sharedErrors).flat(), ...unpaidErrors]);

/** Returns the examples that all operations share, by code, for `components`. */
export function sharedExamples(): Record<string, Json> {
  return Object.fromEntries([...sharedErrorCodes].map((code) => [code, { value: envelopeOf(code as ErrorCode) }]));
}

/**
 * Returns the examples of an error status: those of the operation and the shared ones. Undefined if there are none. `hasCost`: of an
 * operation that costs something.
 */
export function errorExamples(
  exchange: ExampleExchange | undefined,
  status: number,
  hasCost: boolean,
): Record<string, Json> | undefined {
  const own = Object.entries(exchange?.errors ?? {}).filter(([, error]) => error.status === status);
  const codes = [...(sharedErrors[status] ?? []), ...(status === 402 && hasCost ? unpaidErrors : [])];
  const shared = codes.filter((code) => exchange?.errors?.[code] === undefined);
  const examples = [
    ...own.map(([code, { body }]) => [code, { value: body }] as const),
    ...shared.map((code) => [code, { $ref: `#/components/examples/${code}` }] as const),
  ];
  return examples.length === 0 ? undefined : Object.fromEntries(examples);
}

function envelopeOf(code: ErrorCode): unknown {
  return envelope(new AppError(code));
}
