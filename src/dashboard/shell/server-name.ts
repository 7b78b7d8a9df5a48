// Commands in texts, as they have to be typed on the machine that serves.

/** Replaces `taxiway` in front of each command with how the program is called there. */
export function inServerName(text: string, program: string): string {
  return text.replaceAll(/\btaxiway (?=[a-z])/g, () => `${program} `);
}
