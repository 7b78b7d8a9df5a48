// What integration tests share: a small HTTP client of a fixture, and looks at the rows that an action leaves behind.
import { and, asc, eq, gt } from 'drizzle-orm';
import { expect } from 'vitest';
import { examplesFolderVariable } from '../../scripts/lib/examples/recorded.ts';
import { createDeveloper } from '../../src/accounts/service.ts';
import { systemContext } from '../../src/core/transact.ts';
import { auditEvents, outboxEvents } from '../../src/data/tables/tables.ts';
import type { Fixture } from '../../src/testing/fixture.ts';
import { type Received, sendRequest } from '../../src/testing/http.ts';

export type Json = Record<string, unknown>;
export type Query = Record<string, string | number | boolean | undefined>;

interface SendOptions {
  query?: Query;
  headers?: Record<string, string>;
  /** Sent as JSON unless `rawBody` is given. */
  body?: unknown;
  /** Sent as it is; the media type is the caller's. */
  rawBody?: NonNullable<RequestInit['body']>;
}

export interface Answer<Body> {
  status: number;
  headers: Headers;
  /** The parsed body of a JSON answer, else undefined. */
  body: Body;
  text: string;
}

export interface Client {
  send<Body = Json>(method: string, path: string, options?: SendOptions): Promise<Answer<Body>>;
  get<Body = Json>(path: string, query?: Query): Promise<Answer<Body>>;
  post<Body = Json>(path: string, body?: unknown, query?: Query): Promise<Answer<Body>>;
  put<Body = Json>(path: string, body?: unknown, query?: Query): Promise<Answer<Body>>;
  patch<Body = Json>(path: string, body?: unknown, query?: Query): Promise<Answer<Body>>;
  delete<Body = Json>(path: string, query?: Query): Promise<Answer<Body>>;
  /** The same server with another bearer token; null sends no credential. */
  as(token: string | null): Client;
}

/** The id of nothing. */
export const ABSENT = '01900000-0000-7000-8000-000000000000';

/** A page of a list. */
export interface Page<Item = Json> {
  items: Item[];
  next_cursor: string | null;
}

/** The pages of a list from the first to the last, each as its items. */
export async function walkPages<Item = Json>(client: Client, path: string, query: Query = {}): Promise<Item[][]> {
  const pages: Item[][] = [];
  let cursor: string | undefined;
  do {
    const answer: Answer<Page<Item>> = await client.get(path, { ...query, cursor });
    expect(answer.status, answer.text).toBe(200);
    pages.push(answer.body.items);
    cursor = answer.body.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return pages;
}

/** All of an answer but the id and the time of the request, for answers that must tell nobody anything apart. */
export function comparable({ status, text, headers }: Answer<unknown>) {
  const kept = [...headers].filter(([name]) => name !== 'x-request-id' && name !== 'date');
  return { status, text, headers: Object.fromEntries(kept) };
}

const ownFetch = globalThis.fetch;
/** Some tests watch what `fetch` sends and receives, and examples are recorded from it. */
const isFetchWatched = () => globalThis.fetch !== ownFetch || process.env[examplesFolderVariable] !== undefined;

/** Sends a request as a test does. */
export async function deliver(url: URL, init: Parameters<typeof sendRequest>[1]): Promise<Received> {
  if (!isFetchWatched()) return sendRequest(url, init);
  const response = await fetch(url, { redirect: 'manual', ...init });
  const { headers, status } = response;
  return { status, headers, type: headers.get('content-type') ?? '', text: await response.text() };
}

/** A client of a fixture; paths are whole (`/api/v1/…`). Without a token it is the administrator. */
export function api(fixture: Fixture, token: string | null = fixture.admin.access_token): Client {
  async function send<Body>(method: string, path: string, options: SendOptions = {}): Promise<Answer<Body>> {
    const url = new URL(path, fixture.url);
    for (const [name, value] of Object.entries(options.query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
    let body = options.rawBody;
    if (options.body !== undefined) {
      headers['content-type'] = 'application/json';
      body = JSON.stringify(options.body);
    }
    for (const [name, value] of Object.entries(options.headers ?? {})) headers[name.toLowerCase()] = value;
    const received = await deliver(url, { method, headers, ...(body === undefined ? {} : { body }) });
    const { status, text, type } = received;
    return {
      status,
      get headers() {
        return received.headers;
      },
      body: type.startsWith('application/json') ? JSON.parse(text) : undefined,
      text,
    };
  }
  return {
    send,
    get: (path, query = {}) => send('GET', path, { query }),
    post: (path, body, query = {}) => send('POST', path, { body, query }),
    put: (path, body, query = {}) => send('PUT', path, { body, query }),
    patch: (path, body, query = {}) => send('PATCH', path, { body, query }),
    delete: (path, query = {}) => send('DELETE', path, { query }),
    as: (other) => api(fixture, other),
  };
}

/** Asserts the envelope of a refusal; answers its details. */
export function expectRefusal(answer: Answer<unknown>, status: number, error: string): Json {
  expect(answer.body).toEqual({ error, message: expect.any(String), details: expect.any(Object) });
  expect(answer.status).toBe(status);
  const { details } = answer.body as { details: Json };
  return details;
}

/** Asserts a validation failure of exactly these fields, given as `body.email: missing`. */
export function expectInvalid(answer: Answer<unknown>, ...expected: string[]): void {
  const { errors } = expectRefusal(answer, 400, 'validation_error') as {
    errors: { type: string; loc: string[]; msg: string }[];
  };
  expect(errors.map(({ loc, type }) => `${loc.join('.')}: ${type}`)).toEqual(expected);
  for (const entry of errors) expect(Object.keys(entry).sort()).toEqual(['loc', 'msg', 'type']);
}

/** The id of the newest audit row; rows after it are what happened since. */
export function auditMark({ app }: Fixture): string {
  return app.db.select({ id: auditEvents.id }).from(auditEvents).orderBy(asc(auditEvents.id)).all().at(-1)?.id ?? '';
}

/** Audit rows in order, after a mark and about one thing if given; details parsed. */
export function auditRows({ app }: Fixture, { after = '', identifier }: { after?: string; identifier?: string } = {}) {
  return app.db
    .select()
    .from(auditEvents)
    .where(
      and(gt(auditEvents.id, after), identifier === undefined ? undefined : eq(auditEvents.identifier, identifier)),
    )
    .orderBy(asc(auditEvents.id))
    .all()
    .map((row) => ({ ...row, details: JSON.parse(row.details) as Json }));
}

/** Outbox rows in order, of one type if given; data parsed. */
export function outboxRows({ app }: Fixture, type?: string) {
  return app.db
    .select()
    .from(outboxEvents)
    .where(type === undefined ? undefined : eq(outboxEvents.type, type))
    .orderBy(asc(outboxEvents.id))
    .all()
    .map((row) => ({ ...row, data: JSON.parse(row.data) as Json }));
}

/** Signs the administrator in anew, for tests that moved the clock past the access token's life. */
export async function signIn(fixture: Fixture, account: { email: string; password: string } = fixture.admin) {
  const answer = await api(fixture, null).post<{ access_token: string; refresh_token: string; session_id: string }>(
    '/api/v1/login',
    { email: account.email, password: account.password },
  );
  expect(answer.status).toBe(200);
  return { ...answer.body, client: api(fixture, answer.body.access_token) };
}

export interface Account {
  email: string;
  password: string;
  developer_id: string;
}

/** Creates an account that can sign in, as the operator's command does. */
export async function createAccount(
  { app }: Pick<Fixture, 'app'>,
  wanted: { email?: string; isVerified?: boolean; organizationName?: string } = {},
): Promise<Account> {
  const id = app.ids.next();
  const account = { email: wanted.email ?? `dev-${id}@example.com`, password: `correct horse ${id}` };
  const { developerId } = await createDeveloper(systemContext(app), {
    ...account,
    isVerified: wanted.isVerified ?? true,
    isOperator: false,
    organizationName: wanted.organizationName,
  });
  return { ...account, developer_id: developerId };
}
