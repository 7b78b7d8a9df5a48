// Colors on terminals.

/** Returns whether text on a terminal may have colors: not if NO_COLOR has a value (https://no-color.org). */
export function showsColors(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): boolean {
  return isTerminal && (env.NO_COLOR ?? '') === '';
}
