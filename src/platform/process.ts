// What the process was called with.

/** The words typed after the program's name; the same in the executable, the package and the source tree. */
export function commandArguments(): string[] {
  // In the executable too: argv[0] is its path and argv[1] the command as it was typed.
  return process.argv.slice(2);
}
