// The baseline of JSON reads: hono with one route that returns an object read from a file. Arguments: port, file.
import { readFileSync } from 'node:fs';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';

const [port, file = ''] = process.argv.slice(2);
const answer: object = JSON.parse(readFileSync(file, 'utf8'));
const app = new Hono();
app.get('/api/v1/builds/:id', (c) => c.json(answer));
app.get('/sdk/v1/releases/latest', (c) => c.json(answer));
app.post('/sdk/v1/installs/report', async (c) => {
  await c.req.json();
  return c.body(null, 202);
});
app.get('/health/live', (c) => c.json({ status: 'ok' }));
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(port) });
