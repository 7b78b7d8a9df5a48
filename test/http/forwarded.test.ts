// Headers about the server's address have no effect: links, redirects and cookies follow base_url.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditEvents } from '../../src/data/tables/tables.ts';
import { toOriginForm } from '../../src/http/request-url.ts';
import { operations } from '../../src/operations.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { sendRaw } from '../support/raw-request.ts';
import { addResources, addressOf, type Resources } from '../support/resources.ts';

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

const ask = async (target: string, method: string, headers: Record<string, string>, body = '') => {
  const answer = await sendRaw(fixture.url, target, method, headers, body);
  return { status: answer.status, text: JSON.stringify(answer.headers) + answer.text };
};

describe('a request with a false host', () => {
  const reads = operations.filter(({ method }) => method === 'get');

  it.each(reads.map((row) => [row.id, row] as const))('%s returns a response without it', async (_, row) => {
    const headers = { ...lies, authorization: `Bearer ${fixture.admin.access_token}`, 'x-forwarded-for': '192.0.2.7' };
    const { text } = await ask(addressOf(resources, row), 'GET', headers);
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

describe('a target in absolute form', () => {
  it('leads to the storage and to operations', async () => {
    const { admin, app, url, android_project_id, organization_id } = fixture;
    const query = `organization_id=${organization_id}&project_id=${android_project_id}`;
    const path = `/api/v1/builds/${resources.id('build_id')}/download?${query}`;
    const response = await fetch(url + path, { headers: { authorization: `Bearer ${admin.access_token}` } });
    const { download_url } = (await response.json()) as { download_url: string };
    const link = download_url.slice(app.config.server.base_url.length);
    for (const target of [link, '/health/live?x']) {
      const [plain, absolute] = [await sendRaw(url, target), await sendRaw(url, `http://${EVIL}:666${target}`)];
      expect([plain.status, plain.text, plain.headers.location]).toEqual([
        ...[absolute.status, absolute.text, absolute.headers.location],
      ]);
      expect(absolute.status).toBe(200);
    }
  });

  it.each([
    ['http://a.example/x?y=http://b/', '/x?y=http://b/'],
    ['HTTPS://u:p@a.example:1', '/'],
    ['http://a.example?x', '/?x'],
    ['/http://a.example/x', '/http://a.example/x'],
    ['http:///x', 'http:///x'],
    ['http://[x/y', 'http://[x/y'],
    ['http://a.example\\x', 'http://a.example\\x'],
    ['ftp://a.example/x', 'ftp://a.example/x'],
    ['*', '*'],
    ['', ''],
  ])('%s is %s in origin form', (target, expected) => {
    expect(toOriginForm(target)).toBe(expected);
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
