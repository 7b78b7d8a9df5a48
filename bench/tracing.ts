// What tracing costs while it's off: reads of a build, beside the same program without the lines for it.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Bench, ratioRow, takeTurns } from './benchmark.ts';
import { loadServer, writePathsScript } from './load.ts';
import { createSeed } from './reads.ts';
import { programFile, startServerFixture } from './server-fixture.ts';

const SECONDS = 1;
const CONNECTIONS = 4;
/** Beside assets/, which it needs. */
const untracedFile = join(programFile, '../taxiway-untraced.cjs');

/** What a request passes for tracing in the bundle, and what takes its place. */
const TRACED: readonly [RegExp, string][] = [
  [/app\.tracing===void 0\?handle:traced\(app\.tracing,\w+,handle\)/g, 'handle'],
  [/app\.tracing\?\.note\(/g, 'false&&('],
  [/app\.tracing\?\.currentTraceId\(\)/g, 'void 0'],
];

function writeUntraced(): void {
  let text = readFileSync(programFile, 'utf8');
  for (const [traced, untraced] of TRACED) {
    const found = text.match(traced)?.length ?? 0;
    if (found !== 1) throw new Error(`the bundle has ${traced.source} ${found} times instead of once`);
    text = text.replace(traced, untraced);
  }
  writeFileSync(untracedFile, text);
}

export const tracingBench: Bench = {
  name: 'tracing',
  summary: 'reads of a build with tracing off, beside the program without the code of requests for it',
  async run(kit) {
    writeUntraced();
    try {
      const start = async (name: string, program: string) => {
        const { seed, paths } = createSeed();
        const folder = join(kit.folder, name);
        const server = await kit.use(startServerFixture(folder, { seed, program, logLevel: 'warn' }));
        const script = writePathsScript(folder, paths);
        const load = { path: paths[0] ?? '', script, token: server.token, connections: CONNECTIONS, seconds: SECONDS };
        return async () => (await loadServer(server, load)).cpuMicroseconds;
      };
      const sides = { off: await start('off', programFile), without: await start('without', untracedFile) };
      // Warms up the JIT compiler for each server.
      await takeTurns(3, sides);
      const { off, without } = await takeTurns(kit.rounds, sides);
      return [
        ratioRow({
          name: 'read of a build with tracing off, beside a program without it: server CPU',
          measured: off,
          baseline: without,
          show: (value) => `${value.toFixed(1)} µs`,
          goal: { atMost: 1.05 },
        }),
      ];
    } finally {
      rmSync(untracedFile, { force: true });
    }
  },
};
