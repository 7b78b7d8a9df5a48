// Preloaded into a server: records long turns of its event loop, and writes them to the file in TAXIWAY_BENCH_TURNS when the
// server stops.
import { closeSync, openSync, readSync, writeFileSync } from 'node:fs';
import { PerformanceObserver, performance } from 'node:perf_hooks';
import { NOTED_FROM_MS, type Turn } from './turns.ts';

const file = process.env.TAXIWAY_BENCH_TURNS;

if (file !== undefined) {
  const turns: Turn[] = [];
  const collections: { at: number; ms: number }[] = [];
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) collections.push({ at: startTime, ms: duration });
  }).observe({ entryTypes: ['gc'] });

  // Opened once: the file is read at each tick.
  const schedule = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  const bytes = Buffer.alloc(100);
  /** Milliseconds for which the main thread has waited for a processor. */
  const readQueued = () => {
    const length = readSync(schedule, bytes, 0, bytes.length, 0);
    return Number(bytes.toString('latin1', 0, length).split(' ')[1]) / 1_000_000;
  };

  let lastAt = performance.now();
  let lastCpu = process.threadCpuUsage();
  let lastQueued = readQueued();
  setInterval(() => {
    const now = performance.now();
    const cpu = process.threadCpuUsage();
    const queued = readQueued();
    if (now - lastAt > NOTED_FROM_MS) {
      const cpuMs = (cpu.user + cpu.system - lastCpu.user - lastCpu.system) / 1000;
      turns.push({ at: lastAt, ms: now - lastAt, cpuMs, gcMs: 0, queuedMs: queued - lastQueued });
    }
    [lastAt, lastCpu, lastQueued] = [now, cpu, queued];
  }, 1).unref();

  process.on('exit', () => {
    closeSync(schedule);
    for (const turn of turns) {
      const inside = collections.filter(({ at }) => at >= turn.at && at < turn.at + turn.ms);
      turn.gcMs = inside.reduce((sum, { ms }) => sum + ms, 0);
      turn.at += performance.timeOrigin;
    }
    writeFileSync(file, JSON.stringify(turns));
  });
}
