// What a provider's rejection means, in our own words. Codes are matched, never texts.
import { AppError } from '../lib/errors.ts';
import type { FailureCode, ValidationScope } from './schema.ts';

export interface Failure {
  code: FailureCode;
  message: string;
}

/** The result of asking a provider whether credentials work. */
export interface Validation {
  scope: ValidationScope;
  failure: Failure | undefined;
}

const sentences: Record<FailureCode, string> = {
  credentials_refused:
    "The provider doesn't accept the credentials: the key is unknown, revoked or belongs to another account",
  permission_missing: "The key doesn't have the required permission",
  agreement_missing: "An agreement in the provider's account must be accepted first",
  api_disabled: 'The Google Play Android Developer API is disabled in the project of the service account',
  package_unknown: 'Google Play has no app with this package name in the account',
};

const statuses: Record<FailureCode, 'invalid_input' | 'operation_not_allowed'> = {
  credentials_refused: 'invalid_input',
  permission_missing: 'invalid_input',
  agreement_missing: 'operation_not_allowed',
  api_disabled: 'operation_not_allowed',
  package_unknown: 'invalid_input',
};

/** Creates a failure. The provider's own code is added if it has the form of one. */
export function failureOf(code: FailureCode, providerCode?: string): Failure {
  const isShown = providerCode !== undefined && /^[A-Za-z0-9._]{1,80}$/.test(providerCode);
  return { code, message: `${sentences[code]}${isShown ? ` (${providerCode})` : ''}` };
}

/** Creates the error for credentials that weren't saved. */
export function refusalOf({ code, message }: Failure): AppError {
  const errors = [{ type: 'value_error', loc: ['body', 'package_name'], msg: message }];
  return new AppError(statuses[code], message, { code, ...(code === 'package_unknown' ? { errors } : {}) });
}
