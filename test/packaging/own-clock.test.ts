// The package's createServer with the clock of the program that contains it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createServer } from '../../src/index.ts';

it('a clock needs nothing but now()', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'taxiway-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const clock = { now: () => new Date('2030-01-02T03:04:05.678Z') };
  const config = { server: { port: 0, data_dir: folder }, log: { level: 'silent' as const } };
  await using server = await createServer(config, { clock });
  await server.start();
  const answer = await fetch(`${server.url}/health/ready`);
  expect(answer.status).toBe(200);
  const digits = (answer.headers.get('x-request-id') ?? '').replaceAll('-', '').slice(0, 12);
  expect(new Date(Number.parseInt(digits, 16))).toEqual(clock.now());
});
