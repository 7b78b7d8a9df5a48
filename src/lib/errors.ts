// The errors of the API and their envelope (docs/specification/conventions.md#errors). Services throw AppError.

/** Status, code and default message of every error of the API. */
const kinds = {
  invalid_input: [400, 'The request is not valid'],
  validation_error: [400, 'The request is not valid'],
  operation_not_allowed: [400, "This isn't possible in the current state"],
  quota_exceeded: [400, 'A limit has been reached'],
  unauthorized: [401, 'Sign in first: the credential is missing, unknown or expired'],
  billing_suspended: [402, 'The organization is suspended until its balance is settled'],
  payment_required: [402, 'The organization needs a payment method'],
  trial_ended: [402, 'The trial has expired; add a payment method'],
  prepaid_credit_exhausted: [402, 'The prepaid credit is used up; top it up'],
  spend_cap_exceeded: [402, 'The monthly spend cap has been reached'],
  permission_denied: [403, "This credential doesn't allow this"],
  insufficient_role: [403, "Your role in the organization doesn't allow this"],
  email_not_verified: [403, 'Verify your email address first'],
  mfa_enrollment_required: [403, 'The organization requires two-factor authentication; set it up first'],
  not_found: [404, 'Not found'],
  method_not_allowed: [405, "This path doesn't support the method"],
  already_exists: [409, 'This already exists'],
  dependency_exists: [409, 'This is still in use'],
  payload_too_large: [413, 'The content is too large'],
  unsupported_media_type: [415, "This media type isn't supported here"],
  rate_limit_exceeded: [429, 'Too many requests; try again later'],
  internal_error: [500, 'Something went wrong on the server; look up the request id in the log'],
  storage_backend_unavailable: [503, "The storage doesn't respond; try again later"],
  store_connection_unavailable: [503, "The app store doesn't respond; try again later"],
  captcha_unavailable: [503, "The captcha service doesn't respond; try again later"],
  payment_provider_unavailable: [503, "The payment provider doesn't respond; try again later"],
} as const satisfies Record<string, readonly [number, string]>;

export type ErrorCode = keyof typeof kinds;
export const errorCodes = Object.keys(kinds) as readonly ErrorCode[];

/** Returns the message of errors to whose code nothing was added; undefined for a code that this version doesn't know. */
export function defaultMessageOf(code: string): string | undefined {
  return Object.hasOwn(kinds, code) ? kinds[code as ErrorCode][1] : undefined;
}

/** An error with a code of the API, and optionally a message, details and headers (such as Retry-After). */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: Record<string, unknown>;
  readonly headers: Record<string, string>;

  constructor(
    code: ErrorCode,
    message?: string,
    details: Record<string, unknown> = {},
    headers: Record<string, string> = {},
  ) {
    super(message ?? kinds[code][1]);
    this.code = code;
    this.status = kinds[code][0];
    this.details = details;
    this.headers = headers;
  }
}

/** Creates the error for everything that is absent or outside the caller's access. It's always the same, so it reveals nothing. */
export function notFound(): AppError {
  return new AppError('not_found');
}

/** Returns the error envelope `{error, message, details}`. */
export function envelope(error: AppError): { error: ErrorCode; message: string; details: Record<string, unknown> } {
  return { error: error.code, message: error.message, details: error.details };
}
