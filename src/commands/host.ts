// What a command sees of the process it runs in: data goes to `print`, talk to `say`, so that tests can stand in for it.
import { setTimeout as sleep } from 'node:timers/promises';
import { programName } from '../lib/process.ts';

export interface CommandHost {
  /** How the program is called here, such as `scripts/taxiway`. */
  readonly program: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Data, to stdout. */
  print(text: string): void;
  /** Talk, to stderr. */
  say(text: string): void;
  readonly isStdoutTerminal: boolean;
  readonly isStderrTerminal: boolean;
  /** Where questions are asked; undefined when nobody sits there. */
  readonly keyboard: NodeJS.ReadableStream | undefined;
  readonly stdin: NodeJS.ReadableStream;
  now(): number;
  sleep(milliseconds: number): Promise<void>;
  /** From 0 up to 1, for jitter. */
  random(): number;
}

/** The process itself. */
export function createProcessHost(): CommandHost {
  return {
    program: programName(),
    env: process.env,
    cwd: process.cwd(),
    print: (text) => void process.stdout.write(text),
    say: (text) => void process.stderr.write(text),
    isStdoutTerminal: process.stdout.isTTY === true,
    isStderrTerminal: process.stderr.isTTY === true,
    keyboard: process.stdin.isTTY === true && process.stderr.isTTY === true ? process.stdin : undefined,
    stdin: process.stdin,
    now: () => Date.now(),
    sleep: (milliseconds) => sleep(milliseconds),
    random: () => Math.random(),
  };
}

/** Text of others without control characters, so that it cannot steer the terminal it is shown on. */
export function plainText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\u{fffd}');
}
