// Turns what a rule of the service refuses into the lines that a command ends with.
import { AppError } from '../lib/errors.ts';
import { Refusal } from '../lib/failure.ts';

/** Runs `work`; what it refuses becomes a Refusal. `missing` are the words for what is not there. */
export function refusing<T>(work: () => T, missing?: string): T {
  try {
    return work();
  } catch (error) {
    throw asRefusal(error, missing, () => []);
  }
}

/** As refusing, for work that takes its time and several fields: those that are wrong are named. */
export async function refusingLater<T>(work: () => Promise<T>, missing?: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asRefusal(error, missing, listFields);
  }
}

function asRefusal(error: unknown, missing: string | undefined, more: (error: AppError) => string[]): unknown {
  if (!(error instanceof AppError) || error.status >= 500) return error;
  const words = error.code === 'not_found' && missing !== undefined ? missing : error.message;
  return new Refusal([`${words} (${error.code})`, ...more(error)].join('\n'));
}

/** The fields of a validation error, each with what is wrong, without the place that only HTTP knows. */
function listFields({ code, details }: AppError): string[] {
  if (code !== 'validation_error' || !Array.isArray(details.errors)) return [];
  return details.errors.map(
    (entry: { loc: unknown[]; msg: string }) => `  ${entry.loc.slice(1).join('.')}: ${entry.msg}`,
  );
}
