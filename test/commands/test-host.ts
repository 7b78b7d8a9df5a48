// Runs a command in the test process. Collects its output and skips delays.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
        stderrColumns: undefined,
        keyboard: undefined,
        stdin: Readable.from([]),
        now: () => Date.now(),
        sleep: async (milliseconds) => void outcome.pauses.push(milliseconds),
        random: () => 1,
        findAccountHome: () => undefined,
        lowerPriority: () => undefined,
        becomeAccount: () => undefined,
        useProxies: () => true,
        ...more,
      });
      return outcome;
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** An installation in whose folder commands run, with an account that owns an organization. */
export interface Installed {
  workshop: Workshop;
  organizationId: string;
  developerId: string;
}

/** The first one of this process by its configuration. Creating it takes several times as long as copying it. */
const originals = new Map<string, Promise<Installed>>();
process.once('exit', () => {
  for (const folder of originalFolders) rmSync(folder, { recursive: true, force: true });
});
const originalFolders: string[] = [];

/** Returns a new installation with this config.toml, where dana@example.com owns the organization Northwind. */
export async function openInstalled(config: string): Promise<Installed> {
  const original = originals.get(config) ?? createInstalled(config);
  originals.set(config, original);
  const { workshop, ...ids } = await original;
  const copy = openWorkshop();
  cpSync(workshop.folder, copy.folder, { recursive: true, preserveTimestamps: true });
  return { workshop: copy, ...ids };
}

async function createInstalled(config: string): Promise<Installed> {
  const workshop = openWorkshop();
  originalFolders.push(workshop.folder);
  writeFileSync(join(workshop.folder, 'config.toml'), config);
  const account = ['--email', 'dana@example.com', '--password-stdin', '--verified', '--organization', 'Northwind'];
  const { stdout } = await workshop.run(['developer', 'create', ...account, '--json'], {
    stdin: Readable.from(['correct horse battery']),
  });
  const { organization_id: organizationId, developer_id: developerId } = JSON.parse(stdout);
  return { workshop, organizationId, developerId };
}
