// Commands in texts. Texts write `taxiway …`, which is replaced with the command that works in this installation.
import { programName } from './process.ts';

/** The public subcommands; commands/catalog.ts has one entry for each. */
const commandNames = [
  'serve',
  'setup-link',
  'init',
  'check',
  'health',
  'migrate',
  'backup',
  'restore',
  'replication',
  'secret-key',
  'sweep',
  'developer',
  'organization',
  'sso-domain',
  'storage',
  'storage-request',
  'flag',
  'mail',
  'audit',
  'verify',
  'support-bundle',
  'openapi',
  'completion',
  'version',
  'login',
  'logout',
  'upload',
  'release',
  'preview',
  'builds',
  'device',
  'store',
] as const;

export type CommandName = (typeof commandNames)[number];

const COMMAND = new RegExp(`(?<![\\w./-])taxiway (?=(?:${commandNames.join('|')}|COMMAND|--help)(?![\\w-]))`, 'g');

/** Replaces the program's name in each command of a text with the command of this installation. */
export function withProgramName(text: string, program = programName()): string {
  return program === 'taxiway' ? text : text.replaceAll(COMMAND, () => `${program} `);
}
