// Commands in texts, as they have to be typed here: texts name them `taxiway …`, and a clone has no program of that name.
import { programName } from './process.ts';

/** The subcommands that people type; commands/catalog.ts has one entry for each. */
const commandNames = [
  'serve',
  'setup-link',
  'init',
  'check',
  'migrate',
  'sweep',
  'developer',
  'organization',
  'sso-domain',
  'flag',
  'mail',
  'audit',
  'verify',
  'openapi',
  'version',
  'login',
  'logout',
  'upload',
  'release',
  'builds',
] as const;

export type CommandName = (typeof commandNames)[number];

const COMMAND = new RegExp(`(?<![\\w./-])taxiway (?=(?:${commandNames.join('|')}|COMMAND|--help)(?![\\w-]))`, 'g');

/** Replaces the program's name in front of each command of a text with the name it has on this machine. */
export function withProgramName(text: string, program = programName()): string {
  return program === 'taxiway' ? text : text.replaceAll(COMMAND, () => `${program} `);
}
