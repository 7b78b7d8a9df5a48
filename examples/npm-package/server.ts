// Runs Taxiway inside another program: node server.ts
import { createServer } from 'taxiway';

const server = await createServer({ server: { port: 0, data_dir: './data' } });
await server.start();
process.stdout.write(`Listening on ${server.url}\n`);
process.once('SIGTERM', () => server.stop());
