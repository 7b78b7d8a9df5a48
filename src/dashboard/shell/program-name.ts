// Replaces the program name in commands that texts mention.

/** Replaces `taxiway` before each command with the name of the program on the server. */
export function replaceProgramName(text: string, program: string): string {
  return text.replaceAll(/\btaxiway (?=[a-z])/g, () => `${program} `);
}
