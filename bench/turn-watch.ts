// Preloaded into a server: records long turns of its event loop, and writes them to the file in TAXIWAY_BENCH_TURNS when the
// server stops.
import { writeFileSync } from 'node:fs';
import { PerformanceObserver, performance } from 'node:perf_hooks';
import { NOTED_FROM_MS, type Turn } from './turns.ts';

const file = process.env.TAXIWAY_BENCH_TURNS;

if (file !== undefined) {
  const turns: Turn[] = [];
  const collections: { at: number; ms: number }[] = [];
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) collections.push({ at: startTime, ms: duration });
  }).observe({ entryTypes: ['gc'] });

  let lastAt = performance.now();
  let lastCpu = process.threadCpuUsage();
  setInterval(() => {
    const now = performance.now();
    const cpu = process.threadCpuUsage();
    if (now - lastAt > NOTED_FROM_MS) {
      const cpuMs = (cpu.user + cpu.system - lastCpu.user - lastCpu.system) / 1000;
      turns.push({ at: lastAt, ms: now - lastAt, cpuMs, gcMs: 0 });
    }
    [lastAt, lastCpu] = [now, cpu];
  }, 1).unref();

  process.on('exit', () => {
    for (const turn of turns) {
      const inside = collections.filter(({ at }) => at >= turn.at && at < turn.at + turn.ms);
      turn.gcMs = inside.reduce((sum, { ms }) => sum + ms, 0);
      turn.at += performance.timeOrigin;
    }
    writeFileSync(file, JSON.stringify(turns));
  });
}
