// Turns errors of services into error messages of commands.
import { AppError } from '../lib/errors.ts';
import { Refusal } from '../lib/failure.ts';

export const UNKNOWN_ORGANIZATION = 'There is no organization with this ID';

/** Runs `work` and turns an AppError into a Refusal. `missing` replaces the message of `not_found`. */
export function withRefusals<T>(work: () => T, missing?: string): T {
  try {
    return work();
  } catch (error) {
    throw asRefusal(error, missing, () => []);
  }
}

/** Like withRefusals, for asynchronous work; a validation error lists the invalid fields. */
export async function withAsyncRefusals<T>(work: () => Promise<T>, missing?: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asRefusal(error, missing, listFields);
  }
}

function asRefusal(error: unknown, missing: string | undefined, more: (error: AppError) => string[]): unknown {
  const isProviderAway = error instanceof AppError && error.code === 'payment_provider_unavailable';
  if (!(error instanceof AppError) || (error.status >= 500 && !isProviderAway)) return error;
  const message = error.code === 'not_found' && missing !== undefined ? missing : error.message;
  return new Refusal([`${message} (${error.code})`, ...more(error)].join('\n'));
}

/** Returns the fields of a validation error with their messages, without the location of the HTTP parameter. */
function listFields({ code, details }: AppError): string[] {
  if (code !== 'validation_error' || !Array.isArray(details.errors)) return [];
  return details.errors.map(
    (entry: { loc: unknown[]; msg: string }) => `  ${entry.loc.slice(1).join('.')}: ${entry.msg}`,
  );
}
