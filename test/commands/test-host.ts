// Runs a command in the test process. Collects its output and skips delays.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { CommandHost } from '../../src/commands/host.ts';
import { runTaxiway } from '../../src/commands/run.ts';

interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
  /** Pauses it asked for, in milliseconds. */
  pauses: number[];
}

export interface Workshop extends Disposable {
  folder: string;
  run(words: string[], more?: Partial<CommandHost>): Promise<Outcome>;
}

/** A folder of its own to run commands in; `env` is all that they see of the environment. */
export function openWorkshop(env: Record<string, string> = {}): Workshop {
  const folder = mkdtempSync(join(tmpdir(), 'taxiway-command-'));
  return {
    folder,
    async run(words, more = {}) {
      const outcome: Outcome = { code: -1, stdout: '', stderr: '', pauses: [] };
      outcome.code = await runTaxiway(words, {
        program: 'taxiway',
        env: { XDG_CONFIG_HOME: join(folder, 'home'), ...env },
        cwd: folder,
        print: (text) => {
          outcome.stdout += text;
        },
        say: (text) => {
          outcome.stderr += text;
        },
        isStdoutTerminal: false,
        isStderrTerminal: false,
        keyboard: undefined,
        stdin: Readable.from([]),
        now: () => Date.now(),
        sleep: async (milliseconds) => void outcome.pauses.push(milliseconds),
        random: () => 1,
        lowerPriority: () => undefined,
        ...more,
      });
      return outcome;
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
