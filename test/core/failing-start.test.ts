// A start or stop that fails still closes everything, because the embedding process continues and its next start needs the files.
import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openApp } from '../../src/app.ts';
import { configFrom } from '../../src/config.ts';
import type { App } from '../../src/core/context.ts';
import { definePart, openParts } from '../../src/core/parts.ts';
import { inspectorOf } from '../../src/inspection/run.ts';
import { createClosers } from '../../src/lib/closers.ts';
import { installJournalOf } from '../../src/sdk/journal.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'taxiway-failing-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const configIn = () => configFrom({ server: { data_dir: folder }, log: { level: 'silent' } });

/** Names of the files in the folder that this process has open. */
function openFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const file = readlinkSync(`/proc/self/fd/${fd}`);
      return file.startsWith(folder) ? [file.slice(folder.length + 1)] : [];
    } catch {
      return [];
    }
  });
}

describe.skipIf(process.platform !== 'linux')('a start that fails', () => {
  it('closes all files after a newer version wrote the database', async () => {
    const { app, close } = await openApp(configIn());
    app.db.$client.prepare("INSERT INTO schema_migrations (name, applied_at) VALUES ('9999_future', 1)").run();
    expect(openFiles()).not.toEqual([]);
    await close();
    expect(openFiles()).toEqual([]);
    await expect(openApp(configIn())).rejects.toThrow('newer version');
    expect(openFiles()).toEqual([]);
  });

  it('closes all files if the secret key is damaged', async () => {
    await (await openApp(configIn())).close();
    writeFileSync(join(folder, 'secret.key'), 'short\n');
    await expect(openApp(configIn())).rejects.toThrow('secret.key');
    expect(openFiles()).toEqual([]);
  });
});

describe.skipIf(process.platform !== 'linux')('a stop that fails', () => {
  it('closes the other parts and the database', async () => {
    const { app, close } = await openApp(configIn());
    installJournalOf(app).stop = () => {
      throw new Error('the journal is stuck');
    };
    let isInspectorClosed = false;
    inspectorOf(app).close = async () => {
      isInspectorClosed = true;
    };
    await expect(close()).rejects.toThrow('the journal is stuck');
    expect([isInspectorClosed, openFiles()]).toEqual([true, []]);
  });
});

describe('opening parts', () => {
  it('closes the ones before a failing part in reverse order, and throws its error', async () => {
    const events: string[] = [];
    const part = (name: string, { fails = false, sticks = false } = {}) =>
      definePart({
        open() {
          if (fails) throw new Error(`${name} does not open`);
          events.push(`open ${name}`);
          return name;
        },
        close() {
          events.push(`close ${name}`);
          if (sticks) throw new Error(`${name} does not close`);
        },
      });
    const app = { parts: new Map() } as unknown as App;
    const closers = createClosers();
    const parts = [part('a'), part('b', { sticks: true }), part('c', { fails: true }), part('d')];
    await expect(openParts(app, parts, closers)).rejects.toThrow('c does not open');
    await expect(closers.closeAll()).rejects.toThrow('b does not close');
    expect(events).toEqual(['open a', 'open b', 'close b', 'close a']);
  });
});
