// Commands in texts, as they have to be typed here: texts name them `taxiway …`, and a clone has no program of that name.
import { programName } from './process.ts';
import { CATALOG } from '../commands/catalog.ts';

const COMMAND = new RegExp(
  `(?<![\\w./-])taxiway (?=(?:${CATALOG.map(({ name }) => name).join('|')}|COMMAND|--help)(?![\\w-]))`,
  'g',
);

/** Replaces the program's name in front of each command of a text with the name it has on this machine. */
export function inOwnName(text: string, program = programName()): string {
  return program === 'taxiway' ? text : text.replaceAll(COMMAND, () => `${program} `);
}
