// Turns what a rule of the service refuses into the one line that a command ends with.
import { AppError } from '../platform/errors.ts';
import { Refusal } from './failure.ts';

/** Runs `work`; what it refuses becomes a Refusal. `missing` are the words for what is not there. */
export function refusing<T>(work: () => T, missing?: string): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    const words = error.code === 'not_found' && missing !== undefined ? missing : error.message;
    throw new Refusal(`${words} (${error.code})`);
  }
}
