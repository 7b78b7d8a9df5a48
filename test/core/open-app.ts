// An app without a server, in its own folder, for tests of core and HTTP.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openApp, startJobs } from '../../src/app.ts';
import { configFrom } from '../../src/config.ts';
import { systemContext } from '../../src/core/transact.ts';
import { createMovableClock } from '../../src/lib/clock.ts';
import { migratedDatabase } from '../../src/testing/fixture.ts';

/** Opens an application with a clock that moves and recording enforced; `close` removes its folder. */
export async function openTestApp({ busyTimeoutMs = 5_000 } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'taxiway-app-'));
  await writeFile(join(folder, 'taxiway.db'), migratedDatabase(), { mode: 0o600 });
  const clock = createMovableClock();
  const config = configFrom({
    server: { data_dir: folder },
    log: { level: 'silent' },
    database: { synchronous: 'normal', busy_timeout_ms: busyTimeoutMs },
  });
  const opened = await openApp(config, { clock, isRecordingEnforced: true });
  startJobs(opened.app);
  return {
    app: opened.app,
    clock,
    ctx: systemContext(opened.app),
    async close() {
      await opened.close();
      await rm(folder, { recursive: true });
    },
  };
}
