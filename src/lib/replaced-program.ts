// What a running program reports when its files were replaced, so that it can't load what it hasn't loaded yet.
import { codeOf } from './error-code.ts';
import { Refusal } from './failure.ts';

export class ProgramReplaced extends Refusal {
  constructor(options?: ErrorOptions) {
    super("The program's files were replaced or are incomplete: restart the server, or install it again", options);
  }
}

/** Returns the error of loading a file of the program: one that is missing was there when the program started. */
export function explainMissingFile(error: unknown): unknown {
  const isMissing = codeOf(error) === 'MODULE_NOT_FOUND';
  return isMissing ? new ProgramReplaced({ cause: error }) : error;
}
