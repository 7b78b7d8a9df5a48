// Sign-ins, compared with the password hash alone.
import { join } from 'node:path';
import { findFreePort } from '../scripts/lib/ports.ts';
import { type Bench, ratioRow, takeTurns } from './benchmark.ts';
import { loadServer, writePostScript } from './load.ts';
import { startServer } from './processes.ts';
import { EMAIL, PASSWORD, startServerFixture } from './server-fixture.ts';

const CONNECTIONS = 8;
const SECONDS = 3;

export const signInBench: Bench = {
  name: 'sign-in',
  summary: 'POST /api/v1/login, beside the bare argon2id hash with the same limit on how many run at once',
  async run(kit) {
    const fixture = await kit.use(startServerFixture(join(kit.folder, 'fixture')));
    const port = await findFreePort();
    const bare = await kit.use(
      startServer({
        command: process.execPath,
        args: [join(import.meta.dirname, 'bare-argon2.ts'), String(port)],
        url: `http://127.0.0.1:${port}`,
        readyPath: '/health/live',
      }),
    );
    const script = writePostScript(kit.folder, { email: EMAIL, password: PASSWORD });
    const load = { path: '/api/v1/login', connections: CONNECTIONS, seconds: SECONDS, script };
    const samples = await takeTurns(kit.rounds, {
      taxiway: () => loadServer(fixture, load),
      bare: () => loadServer(bare, load),
    });
    return [
      ratioRow({
        name: 'sign-ins',
        measured: samples.taxiway.map((sample) => sample.requestsPerSecond),
        baseline: samples.bare.map((sample) => sample.requestsPerSecond),
        show: (value) => `${value.toFixed(1)}/s`,
        goal: { atLeast: 0.8 },
      }),
    ];
  },
};
