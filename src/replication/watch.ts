// Watches Litestream while the server runs.
import type { App } from '../core/context.ts';
import { definePart } from '../core/parts.ts';
import { SECOND } from '../lib/clock.ts';
import { createLag, type Lag } from './lag.ts';
import { createNudge } from './nudge.ts';
import { readLitestream } from './position.ts';

/** The request stays on this machine and takes a millisecond. */
const LOOK_EVERY_MS = SECOND;

export interface ReplicationWatch {
  /** Reads the state of Litestream once. */
  look(): Promise<void>;
  /** The result of the last reading; undefined without replication. */
  state(): ReturnType<Lag['read']> | undefined;
  start(): void;
  stop(): void;
}

export const replicationWatchOf = definePart<ReplicationWatch>({
  open: (app) => watchReplication(app),
  start: (watch) => watch.start(),
  close: (watch) => watch.stop(),
});

function watchReplication(app: App): ReplicationWatch {
  const { config, clock, health, log } = app;
  const { target, metrics_address: address } = config.replication;
  const isOn = target !== '';
  const lag = createLag(clock.time());
  const nudge = createNudge();
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let wasRunning: boolean | undefined;
  let isStopped = false;

  async function look(): Promise<void> {
    const state = await readLitestream({ database: config.database.file, address }, app.fetch);
    // The database may be closed.
    if (isStopped) return;
    lag.observe(clock.time(), state);
    const { isRunning } = lag.read();
    if (isRunning !== wasRunning) {
      if (isRunning) log.info({ address }, 'replication running');
      else log.warn({ address }, 'replication stopped');
    }
    wasRunning = isRunning;
    if (state !== undefined && nudge.isNeeded(clock.time(), state)) writeSomething();
  }

  /** Litestream sends what it has copied with the next change. */
  function writeSomething(): void {
    try {
      health.write();
    } catch (error) {
      log.warn({ err: error }, 'replication not continued');
    }
  }

  return {
    async look() {
      if (!isOn) return;
      looking ??= look().finally(() => {
        looking = undefined;
      });
      await looking;
    },
    state: () => (isOn ? lag.read() : undefined),
    start() {
      if (!isOn) return;
      timer = setInterval(() => void this.look(), LOOK_EVERY_MS).unref();
      void this.look();
    },
    stop() {
      isStopped = true;
      clearInterval(timer);
    },
  };
}
