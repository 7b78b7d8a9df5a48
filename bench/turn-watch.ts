// Preloaded into a server: records long turns of its event loop, and writes them to the file in TAXIWAY_BENCH_TURNS when the
// server stops.
import { writeFileSync } from 'node:fs';
import { PerformanceObserver, performance } from 'node:perf_hooks';
import { openRunQueue } from './run-queue.ts';
import { NOTED_FROM_MS, type Turn } from './turns.ts';

const file = process.env.TAXIWAY_BENCH_TURNS;

if (file !== undefined) {
  const turns: Turn[] = [];
  const collections: { at: number; ms: number }[] = [];
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) collections.push({ at: startTime, ms: duration });
  }).observe({ entryTypes: ['gc'] });

  const queue = openRunQueue();
  let lastAt = performance.now();
  let lastCpu = process.threadCpuUsage();
  let lastQueued = queue.read();
  setInterval(() => {
    const now = performance.now();
    const cpu = process.threadCpuUsage();
    const queued = queue.read();
    if (now - lastAt > NOTED_FROM_MS) {
      const cpuMs = (cpu.user + cpu.system - lastCpu.user - lastCpu.system) / 1000;
      turns.push({ at: lastAt, ms: now - lastAt, cpuMs, gcMs: 0, queuedMs: queued - lastQueued });
    }
    [lastAt, lastCpu, lastQueued] = [now, cpu, queued];
  }, 1).unref();

  process.on('exit', () => {
    queue.close();
    for (const turn of turns) {
      const inside = collections.filter(({ at }) => at >= turn.at && at < turn.at + turn.ms);
      turn.gcMs = inside.reduce((sum, { ms }) => sum + ms, 0);
      turn.at += performance.timeOrigin;
    }
    writeFileSync(file, JSON.stringify(turns));
  });
}
