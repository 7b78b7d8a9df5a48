// Reads the options of a script.
import { type ParseArgsConfig, parseArgs } from 'node:util';

/** Parses the command line of a script, such as `scripts/dev`. Ends the process with 2 and the reason if it's wrong. */
export function readOptions<const T extends ParseArgsConfig>(
  script: string,
  config: T,
): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    // The advice after the first sentence is about file names that begin with a hyphen.
    const [reason] = error instanceof Error ? error.message.split('. ') : [String(error)];
    process.stderr.write(`${script}: ${reason}\n(see "${script} --help")\n`);
    process.exit(2);
  }
}
