// Slow requests and SQL statements in the log: what they contain, how often, and never values.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import pino from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { openApp } from '../../src/app.ts';
import { configFrom } from '../../src/config.ts';
import type { App } from '../../src/core/context.ts';
import { type SlowQuery, watchSlowQueries } from '../../src/data/slow-queries.ts';
import { createServer } from '../../src/server.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';

describe('a slow statement', () => {
  const found: SlowQuery[] = [];
  const client = new Sqlite(':memory:');
  client.exec('CREATE TABLE people (id TEXT PRIMARY KEY NOT NULL, email TEXT NOT NULL) STRICT');
  afterEach(() => void found.splice(0));

  it('is reported once a minute with its plan and without its values', () => {
    watchSlowQueries(client, 1e-6, (query) => found.push(query));
    const byEmail = client.prepare('SELECT id FROM people\n  WHERE email = ?');
    byEmail.all('mary@example.com');
    byEmail.get('mary@example.com');
    client.prepare('SELECT id FROM people\n  WHERE email = ?').all('ada@example.com');
    expect(found).toEqual([
      { ms: expect.any(Number), sql: 'SELECT id FROM people WHERE email = ?', plan: ['SCAN people'] },
    ]);
  });

  it('is reported with named values, and with a plan of several steps', () => {
    client.prepare('SELECT id FROM people WHERE id > @id ORDER BY email').pluck().get({ id: 'x' });
    expect(found.map(({ plan }) => plan)).toEqual([
      ['SEARCH people USING INDEX sqlite_autoindex_people_1 (id>?)', 'USE TEMP B-TREE FOR ORDER BY'],
    ]);
  });

  it('returns the same result, keeps its mode and throws the same errors', () => {
    const insert = client.prepare('INSERT INTO people VALUES (?, ?)');
    expect(insert.run('p1', 'mary@example.com').changes).toBe(1);
    expect(() => insert.run('p1', 'mary@example.com')).toThrow('UNIQUE constraint failed');
    expect(client.prepare('SELECT id FROM people').pluck().all()).toEqual(['p1']);
    expect(client.prepare('SELECT * FROM people').raw().get()).toEqual(['p1', 'mary@example.com']);
  });
});

describe('a server', () => {
  async function collect(log: { slow_request_ms?: number; slow_query_ms?: number }, ask: (own: Fixture) => unknown) {
    const lines: Record<string, unknown>[] = [];
    await using fixture = await startFixture({ config: { log } });
    fixture.app.log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    await ask(fixture);
    return lines.filter(({ msg }) => msg === 'slow request');
  }

  it('logs a slow request with its route, as a warning beside its line', async () => {
    let wait = 0;
    const lines = await collect({ slow_request_ms: 100 }, async (fixture) => {
      // The request takes as long as its transaction.
      fixture.app.db.$client.function('wait', () => {
        const end = performance.now() + wait;
        while (performance.now() < end);
        return 0;
      });
      fixture.app.db.$client.exec('CREATE TEMP TRIGGER slow AFTER INSERT ON main.developers BEGIN SELECT wait(); END');
      wait = 120;
      const email = 'mary@example.com';
      await fetch(`${fixture.url}/api/v1/developers`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email, password: 'correct horse battery', display_name: 'Mary' }),
      });
    });
    expect(lines).toEqual([
      {
        level: 40,
        time: expect.any(Number),
        pid: expect.any(Number),
        hostname: expect.any(String),
        request_id: expect.any(String),
        method: 'POST',
        route: '/api/v1/developers',
        status: 202,
        ms: expect.any(Number),
        msg: 'slow request',
      },
    ]);
    expect(lines[0]?.ms).toBeGreaterThanOrEqual(120);
  });

  it('logs its slow statements with their plan, and a command does not', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'taxiway-slow-'));
    const lines: Record<string, unknown>[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const config = configFrom({ server: { port: 0, data_dir: folder }, log: { slow_query_ms: 50 } });
    const runSlowly = ({ db }: App) => {
      db.$client.function('wait', () => {
        const end = performance.now() + 60;
        while (performance.now() < end);
        return 0;
      });
      db.$client.prepare('SELECT wait() FROM developers WHERE id = ? UNION SELECT wait()').all('secret');
    };
    try {
      const command = await openApp(config, { log });
      runSlowly(command.app);
      await command.close();
      expect(lines.filter(({ msg }) => msg === 'slow query')).toEqual([]);
      await using server = await createServer(config, { log, isScheduleOff: true });
      runSlowly(server.app);
      const sql = 'SELECT wait() FROM developers WHERE id = ? UNION SELECT wait()';
      const [line] = lines.filter((found) => found.sql === sql);
      expect(line).toMatchObject({ level: 40, msg: 'slow query', sql });
      expect(line?.plan).toContain('SEARCH developers USING COVERING INDEX sqlite_autoindex_developers_1 (id=?)');
      expect(JSON.stringify(lines)).not.toContain('secret');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('logs none if the limit is 0', async () => {
    const lines = await collect({ slow_request_ms: 0 }, (fixture) => fetch(`${fixture.url}/health/live`));
    expect(lines).toEqual([]);
  });
});
