// Ten thousand random requests generated from the OpenAPI document: valid, almost valid and hostile. None causes a server error,
// all errors have the envelope, and all successes a declared status.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { sendRequest } from '../../src/testing/http.ts';
import { addCallers } from '../support/callers.ts';
import { addResources, type Resources } from '../support/resources.ts';

const REQUESTS = 10_000;
const AT_ONCE = 25;
const ROUND = 400;
const SEED = 20_260_131;
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
/** More than any file may have. Made once, because encoding it takes as long as a hundred small requests. */
const large = Buffer.alloc(2_000_000, 'x');
const BOUNDARY = 'random-requests';

interface Schema {
  $ref?: string;
  type?: string;
  format?: string;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
}
interface Described {
  operationId: string;
  method: string;
  path: string;
  parameters: { name: string; in: 'path' | 'query'; required: boolean; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, unknown>;
}

interface Request {
  method: string;
  headers: Record<string, string>;
  body?: string | Buffer;
}

/** mulberry32: small, seeded, so that a failing run can be repeated. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const hostileTexts = [
  '',
  ' ',
  "' OR 1=1 --",
  '../../etc/passwd',
  '%00',
  '\u0000',
  'ﷺ'.repeat(50),
  '😀\ud800',
  '\u202eevil',
  '<script>alert(1)</script>',
  'a\r\nSet-Cookie: x=1',
  'x'.repeat(70_000),
  '-1',
  '1e309',
  'NaN',
  '9223372036854775807',
  'null',
  '{{7*7}}',
  '__proto__',
];
const hostileValues: unknown[] = [
  null,
  true,
  -1,
  0,
  1.5,
  2 ** 53,
  1e308,
  [],
  {},
  [[[]]],
  { __proto__: 1 },
  ...hostileTexts,
];

describe('random requests', () => {
  let fixture: Fixture;
  let resources: Resources;
  let tokens: (string | null)[];
  let administrator: string | null;
  let operations: Described[];
  let schemas: Record<string, Schema>;
  const statuses: (number | undefined)[] = [];
  const succeeded = new Set<string>();
  const random = createRandom(SEED);
  /** How often a value is hostile: of a request that is meant well never, of others often. */
  let malice = 0;
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;

  beforeAll(async () => {
    fixture = await startFixture();
    const document = (await (await fetch(`${fixture.url}/api/openapi.json`)).json()) as {
      paths: Record<string, Record<string, Omit<Described, 'method' | 'path'>>>;
      components: { schemas: Record<string, Schema> };
    };
    schemas = document.components.schemas;
    operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, facts]) => ({ ...facts, method, path })),
    );
  });
  afterAll(() => fixture?.stop());

  /** What requests delete and sign out is put back from time to time, so that they keep getting somewhere. */
  async function renewWorld(): Promise<void> {
    resources = await addResources(fixture);
    const callers = await addCallers(fixture, fixture.organization_id, fixture.android_project_id);
    tokens = callers.map((caller) => caller.token);
    administrator = callers.find((caller) => caller.name === 'admin')?.token ?? null;
  }

  function valueFor(schema: Schema, name: string, depth = 0): unknown {
    if (random() < malice || depth > 5) return pick(hostileValues);
    if (schema.$ref !== undefined) return valueFor(schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, name, depth + 1);
    if (schema.anyOf !== undefined) return valueFor(pick(schema.anyOf), name, depth + 1);
    if (schema.enum !== undefined) return pick(schema.enum);
    switch (schema.type) {
      case 'object':
        return Object.fromEntries(
          Object.entries(schema.properties ?? {})
            .filter(() => random() >= malice)
            .map(([key, property]) => [key, valueFor(property, key, depth + 1)]),
        );
      case 'array':
        return Array.from({ length: Math.floor(random() * 3) }, () => valueFor(schema.items ?? {}, name, depth + 1));
      case 'integer':
      case 'number':
        return Math.floor(random() * 100);
      case 'boolean':
        return random() < 0.5;
      case 'string':
        if (name.endsWith('email')) return `person${Math.floor(random() * 1e6)}@example.com`;
        return schema.format === 'uuid' || name.endsWith('_id') ? idFor(name) : `text ${Math.floor(random() * 1e6)}`;
      default:
        return pick(hostileValues);
    }
  }

  function idFor(name: string): string {
    const chance = random();
    if (chance < malice) return pick(hostileTexts);
    if (chance < malice * 2) return fixture.app.ids.next();
    try {
      return resources.pathId({ path: 'random' } as never, name);
    } catch {
      return fixture.app.ids.next();
    }
  }

  function makeRequest(): { row: Described; url: string; init: Request } {
    const row = pick(operations);
    malice = random() < 0.5 ? 0 : 0.15;
    let path = row.path;
    const query: string[] = [];
    for (const parameter of row.parameters) {
      if (parameter.in === 'path') {
        path = path.replace(`{${parameter.name}}`, encodeURIComponent(idFor(parameter.name).toWellFormed()) || 'x');
      } else if (row.operationId === 'deleteProject' && parameter.name === 'force') {
        // The project that everything else is in stays.
      } else if (parameter.required || random() < 0.5) {
        const value = String(valueFor(parameter.schema, parameter.name));
        query.push(`${parameter.name}=${encodeURIComponent(value.toWellFormed().slice(0, 2000))}`);
      }
    }
    const headers: Record<string, string> = {};
    const token = random() < 0.5 ? administrator : pick(tokens);
    if (token !== null) headers.authorization = `Bearer ${token}`;
    if (random() < 0.05)
      headers.authorization = pick([
        'Bearer',
        'Basic eDp5',
        'Bearer a b',
        'Bearer svc_prj_x',
        `Bearer ${'y'.repeat(6000)}`,
      ]);
    if (random() < malice / 3) headers.cookie = pick(['svc_access=x', 'svc_access', ';;;=', 'svc_refresh=%00']);
    const init: Request = { method: row.method.toUpperCase(), headers };
    const content = Object.entries(row.requestBody?.content ?? {})[0];
    if (content !== undefined) {
      const [type, { schema }] = content;
      if (type === 'multipart/form-data') {
        headers['content-type'] = `multipart/form-data; boundary=${BOUNDARY}`;
        init.body = multipart();
      } else {
        headers['content-type'] =
          random() < 0.95 ? type : pick(['text/plain', 'application/xml', '', 'application/json; charset=x']);
        const text = JSON.stringify(valueFor(schema, '')) ?? '';
        init.body = random() < malice / 3 ? text.slice(0, Math.floor(text.length * random())) : text;
      }
    }
    return { row, url: `${fixture.url}${path.slice(0, 8000)}?${query.join('&').slice(0, 6000)}`, init };
  }

  function multipart(): Buffer {
    const name = pick(['file', 'file', 'other', '']);
    const content = pick(['', 'GIF89a', PNG, PNG, PNG, PNG, large]);
    const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"; filename="a.png"\r\nContent-Type: application/octet-stream\r\n\r\n`;
    return Buffer.concat([Buffer.from(head), Buffer.from(content), Buffer.from(`\r\n--${BOUNDARY}--\r\n`)]);
  }

  async function sendOne(): Promise<string | undefined> {
    const { row, url, init } = makeRequest();
    const response = await sendRequest(new URL(url), init);
    const { text } = response;
    const name = `${init.method} ${row.path}`;
    statuses[response.status] = (statuses[response.status] ?? 0) + 1;
    if (response.status < 400) succeeded.add(name);

    const problem = (what: string) =>
      `${name}: ${what} — ${response.status} ${text.slice(0, 200)} for ${String(init.body?.slice(0, 200)).slice(0, 200)}`;
    if (response.status >= 500) return problem('a fault');
    if (!response.headers.has('x-request-id')) return problem('no request id');
    if (response.status < 400) {
      return String(response.status) in row.responses || response.status === 304
        ? undefined
        : problem('undeclared status');
    }
    const isPage = response.type.startsWith('text/html');
    if (isPage) return 'text/html' in contentTypes(row) ? undefined : problem('a page instead of the envelope');
    const body = JSON.parse(text);
    const keys = Object.keys(body).sort().join();
    // What is not configured answers a bare {error}: docs/specification/conventions.md#errors.
    const mayBeBare = /\/(?:sso|byosa\/onboarding-request)$/.test(row.path);
    if (mayBeBare && response.status === 404 && keys === 'error') return undefined;
    // The one bare refusal: docs/specification/conventions.md#errors.
    if (keys === 'error' && name === 'GET /api/v1/organizations/{organization_id}/sso') return undefined;
    return keys === 'details,error,message' ? undefined : problem('no envelope');
  }

  function contentTypes(row: Described): Record<string, unknown> {
    return Object.assign(
      {},
      ...Object.values(row.responses as Record<string, { content?: object }>).map((answer) => answer.content ?? {}),
    );
  }

  it(`cause no server error in ${REQUESTS} requests`, { timeout: 180_000 }, async () => {
    const problems = new Set<string>();
    for (let sent = 0; sent < REQUESTS; sent += ROUND) {
      await renewWorld();
      let left = ROUND;
      await Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
          while (left-- > 0) {
            const problem = await sendOne();
            if (problem !== undefined) problems.add(problem);
          }
        }),
      );
    }
    expect([...problems].slice(0, 20)).toEqual([]);
    // The requests must get past the door often enough to mean something.
    expect(statuses.reduce<number>((sum, count) => sum + (count ?? 0), 0)).toBe(REQUESTS);
    for (const status of [200, 201, 204, 400, 401, 403, 404, 409, 415]) {
      expect([status, (statuses[status] ?? 0) > 5]).toEqual([status, true]);
    }
    // Links of mails, assertions of passkeys and answers of identity providers cannot be guessed; the rest is reached.
    expect(succeeded.size).toBeGreaterThan(operations.length * 0.4);
  });
});
