// Completing an upload with inspection: a large package compared with a small one.
import { join } from 'node:path';
import { buildApk, buildIpa } from '../test/support/fixtures.ts';
import { type Bench, type Row, ratioRow, takeTurns } from './benchmark.ts';
import { complete, type Pending, upload } from './client.ts';
import { writePaddedPackage } from './packages.ts';
import { runProgram } from './processes.ts';
import { startServerFixture } from './server-fixture.ts';

const SMALL_BYTES = 5 * 1024 * 1024;
const LARGE_BYTES = 500 * 1024 * 1024;

export const completeBench: Bench = {
  name: 'complete',
  summary: 'complete with inspection of a 500 MiB package, compared with 5 MiB',
  async run(kit) {
    const fixture = await kit.use(startServerFixture(join(kit.folder, 'fixture')));
    let buildNumber = 0;

    async function send(projectId: string, file: string): Promise<Pending> {
      buildNumber += 1;
      return upload(fixture, projectId, buildNumber, file);
    }

    async function timeComplete(pending: Pending | undefined): Promise<number> {
      if (pending === undefined) throw new Error('nothing is left to complete');
      const startedAt = performance.now();
      const build = await complete(fixture, pending);
      const ms = performance.now() - startedAt;
      if (build.inspection_status !== 'ok') throw new Error('the package was not readable');
      return ms;
    }

    async function measurePackage(name: string, projectId: string, archive: Buffer): Promise<Row> {
      const [small, large] = [join(kit.folder, `small-${name}`), join(kit.folder, `large-${name}`)];
      writePaddedPackage(small, archive, SMALL_BYTES);
      writePaddedPackage(large, archive, LARGE_BYTES);
      await timeComplete(await send(projectId, small));
      // All uploads finish before timing starts, because a disk busy with 500 MiB delays every response.
      const waiting = { large: [] as Pending[], small: [] as Pending[] };
      for (let round = 0; round < kit.rounds; round += 1) {
        waiting.large.push(await send(projectId, large));
        waiting.small.push(await send(projectId, small));
      }
      await runProgram('sync', []);
      const times = await takeTurns(kit.rounds, {
        large: () => timeComplete(waiting.large.pop()),
        small: () => timeComplete(waiting.small.pop()),
      });
      return ratioRow({
        name: `complete of a 500 MiB ${name}, beside 5 MiB`,
        measured: times.large,
        baseline: times.small,
        show: (value) => `${value.toFixed(1)} ms`,
        goal: { atMost: 1.5 },
      });
    }

    return [
      await measurePackage('apk', fixture.androidProjectId, buildApk()),
      await measurePackage('ipa', fixture.iosProjectId, buildIpa()),
    ];
  },
};
