// Headers about the server's address have no effect: links, redirects and cookies follow base_url.
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditEvents } from '../../src/data/tables/tables.ts';
import type { Operation } from '../../src/http/operation.ts';
import { operations } from '../../src/operations.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { addResources, type Resources } from '../support/resources.ts';

const EVIL = 'evil.example.net';
const lies = {
  host: EVIL,
  'x-forwarded-host': EVIL,
  'x-forwarded-proto': 'https',
  'x-forwarded-port': '666',
  forwarded: `for=192.0.2.66;host=${EVIL};proto=https`,
  'x-original-url': `https://${EVIL}/`,
};

let fixture: Fixture;
let resources: Resources;

beforeAll(async () => {
  fixture = await startFixture({ config: { server: { trusted_proxies: ['127.0.0.0/8', '::1'] } } });
  resources = await addResources(fixture);
});

afterAll(() => fixture.stop());

function ask(
  path: string,
  method: string,
  headers: Record<string, string>,
  body = '',
): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(fixture.url);
  return new Promise((resolve, reject) => {
    const asked = request({ hostname, port, path, method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const text = JSON.stringify(response.headers) + Buffer.concat(chunks).toString('latin1');
        resolve({ status: response.statusCode ?? 0, text });
      });
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

function pathOf(row: Operation): string {
  const query = row.query === undefined ? [] : Object.keys(row.query.shape);
  const ids = query.flatMap((name) => {
    const id = resources.queryId(name);
    return id === undefined ? [] : [`${name}=${id}`];
  });
  const path = row.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(resources.pathId(row, name)));
  return ids.length === 0 ? path : `${path}?${ids.join('&')}`;
}

describe('a request with a false host', () => {
  const reads = operations.filter(({ method }) => method === 'get');

  it.each(reads.map((row) => [row.id, row] as const))('%s returns a response without it', async (_, row) => {
    const headers = { ...lies, authorization: `Bearer ${fixture.admin.access_token}`, 'x-forwarded-for': '192.0.2.7' };
    const { text } = await ask(pathOf(row), 'GET', headers);
    expect(text).not.toContain(EVIL);
    expect(text).not.toContain(':666');
  });

  it('gets links to base_url, also signed ones', async () => {
    const base = fixture.config.server.base_url;
    const query = `organization_id=${fixture.organization_id}&project_id=${fixture.android_project_id}`;
    const headers = {
      ...lies,
      authorization: `Bearer ${fixture.project_access_token}`,
      'content-type': 'application/json',
    };
    const body = JSON.stringify({ version_name: '7.7', build_number: 77 });
    const { status, text } = await ask(`/api/v1/builds/initiate?${query}`, 'POST', headers, body);
    expect(status).toBe(201);
    expect(text).toContain(`"upload_url":"${base}/`);
    expect(text).not.toContain(EVIL);
  });

  it('gets cookies for base_url, regardless of its scheme', async () => {
    const body = JSON.stringify({ email: fixture.admin.email, password: fixture.admin.password, cookies: true });
    const { status, text } = await ask('/api/v1/login', 'POST', { ...lies, 'content-type': 'application/json' }, body);
    expect(status).toBe(200);
    expect(text).toContain('HttpOnly');
    expect(text).not.toContain('; Secure');
  });
});

describe('X-Forwarded-For', () => {
  async function addressInAudit(server: Fixture, forwarded: string): Promise<string | null | undefined> {
    const response = await fetch(`${server.url}/api/v1/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': forwarded },
      body: JSON.stringify({ email: server.admin.email, password: server.admin.password }),
    });
    expect(response.status).toBe(200);
    const rows = server.app.db.select().from(auditEvents).all();
    return rows.sort((left, right) => (left.id < right.id ? -1 : 1)).at(-1)?.ipAddress;
  }

  it('is used from a trusted proxy', async () => {
    expect(await addressInAudit(fixture, '203.0.113.9')).toBe('203.0.113.9');
  });

  it('is ignored from others', async () => {
    await using direct = await startFixture();
    expect(await addressInAudit(direct, '203.0.113.9')).toBe('127.0.0.1');
  });
});
