// Errors: services throw AppError; one function turns anything thrown into the envelope of specification part 7.

/** Status, code and default message of every error the program answers. */
const kinds = {
  invalid_input: [400, 'The request is not valid'],
  validation_error: [400, 'The request is not valid'],
  operation_not_allowed: [400, 'This is not possible in the current state'],
  quota_exceeded: [400, 'A limit has been reached'],
  unauthorized: [401, 'Sign in first: the credential is missing, unknown or expired'],
  billing_suspended: [402, 'The organization is suspended until its balance is settled'],
  payment_required: [402, 'The organization needs a payment method'],
  trial_ended: [402, 'The trial has ended; add a payment method'],
  permission_denied: [403, 'This credential does not allow that'],
  insufficient_role: [403, 'Your role in the organization does not allow that'],
  email_not_verified: [403, 'Verify your e-mail address first'],
  mfa_enrollment_required: [403, 'The organization requires a second factor; enrol one first'],
  not_found: [404, 'Not found'],
  method_not_allowed: [405, 'This address does not answer that method'],
  already_exists: [409, 'It exists already'],
  dependency_exists: [409, 'Something else still refers to it'],
  payload_too_large: [413, 'The content is too large'],
  unsupported_media_type: [415, 'This media type is not accepted here'],
  rate_limit_exceeded: [429, 'Too many requests; try again later'],
  internal_error: [500, 'Something went wrong on the server; the request id finds it in the log'],
  storage_backend_unavailable: [503, 'The storage does not answer; try again'],
  captcha_unavailable: [503, 'The captcha service does not answer; try again'],
  store_connection_unavailable: [503, 'The store does not answer; try again'],
} as const satisfies Record<string, readonly [number, string]>;

export type ErrorCode = keyof typeof kinds;

/** A refusal with its code, and optionally a message, details and headers (such as Retry-After). */
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

/** The refusal for anything absent or outside the caller's reach; always the same, so that it tells nothing. */
export function notFound(): AppError {
  return new AppError('not_found');
}

/** The envelope: `{error, message, details}`. */
export function envelope(error: AppError): { error: ErrorCode; message: string; details: Record<string, unknown> } {
  return { error: error.code, message: error.message, details: error.details };
}
