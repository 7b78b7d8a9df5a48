// The routes of all operations, through the listener of a server: which operation each spelling of a path reaches, and how other
// methods and paths are rejected. All operations are public here and return their id and parameters.
import { Agent, type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { anonymous, media, type Operation } from '../../src/http/operation.ts';
import { operations } from '../../src/operations.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { type Listening, listen } from '../support/listening.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
let fixture: Fixture;
let server: Listening;
const agent = new Agent({ keepAlive: true });

beforeAll(async () => {
  fixture = await startFixture();
  server = await listen({ app: fixture.app, clientAddress: () => null, operations: operations.map(echo) });
});
afterAll(async () => {
  agent.destroy();
  await server?.stop();
  await fixture?.stop();
});

function namesIn(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

/** The operation without its rules: open to all, without a body, replying with its id and its parameters. */
function echo({ id, tag, summary, method, path }: Operation): Operation {
  const params = z.object(Object.fromEntries(namesIn(path).map((name) => [name, z.string()])));
  const rest = { status: 200, access: anonymous, returns: media('application/json'), params } as const;
  const run = (_ctx: unknown, input: { params: unknown }) => {
    const headers = { 'x-operation': id, 'content-type': 'application/json' };
    return { isReply: true, headers, body: JSON.stringify(input.params) };
  };
  return { id, tag, summary, method, path, ...rest, run };
}

/** Sends a path exactly as it is written, which fetch would normalize first. */
async function ask(method: string, path: string) {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(server.url, { method, path, agent }, resolve).on('error', reject).end();
  });
  const { allow, 'x-operation': id } = response.headers;
  // A consumer of streams would take longer than the request.
  const body = await new Promise<string>((resolve, reject) => {
    let text = '';
    response.setEncoding('utf8').on('data', (part: string) => (text += part));
    response.on('end', () => resolve(text)).on('error', reject);
  });
  return { status: response.statusCode, allow, id, body: body === '' ? undefined : JSON.parse(body) };
}

const partsOf = new Map(operations.map((row) => [row, row.path.slice(1).split('/')]));

/** What the declarations promise for a decoded path: of those that fit, the one with literal segments further left. */
function promised(method: string, segments: readonly string[]) {
  const wanted = method === 'HEAD' ? 'GET' : method;
  const fits = (row: Operation) => {
    const parts = partsOf.get(row) ?? [];
    const isMatch = (part: string, at: number) => (part.startsWith('{') ? segments[at] !== '' : part === segments[at]);
    return parts.length === segments.length && parts.every(isMatch);
  };
  const fitting = operations.filter(fits);
  const rank = ({ path }: Operation) => path.replace(/\{\w+\}/g, '\uffff');
  const [found] = fitting
    .filter((row) => row.method.toUpperCase() === wanted)
    .sort((left, right) => (rank(left) < rank(right) ? -1 : 1));
  const refusal = (error: string) => ({ error, message: expect.any(String), details: {} });
  if (found === undefined) {
    const served = METHODS.filter((one) => fitting.some((row) => row.method.toUpperCase() === one));
    const allow = served.flatMap((one) => (one === 'GET' ? ['GET', 'HEAD'] : [one])).join(', ');
    const isKnown = allow !== '';
    return isKnown
      ? { status: 405, allow, id: undefined, body: method === 'HEAD' ? undefined : refusal('method_not_allowed') }
      : { status: 404, allow: undefined, id: undefined, body: method === 'HEAD' ? undefined : refusal('not_found') };
  }
  const params: Record<string, string | undefined> = {};
  for (const [at, part] of found.path.slice(1).split('/').entries()) {
    if (part.startsWith('{')) params[part.slice(1, -1)] = segments[at];
  }
  return { status: 200, allow: undefined, id: found.id, body: method === 'HEAD' ? undefined : params };
}

/** The segments of an operation's path with a value for each parameter. */
function segmentsOf(path: string, value = (name: string) => `the-${name}`): string[] {
  return path
    .slice(1)
    .replace(/\{(\w+)\}/g, (_match, name: string) => value(name))
    .split('/');
}

const join = (segments: readonly string[]) => `/${segments.join('/')}`;
/** Every byte as `%xx`. */
const encodeAll = (segment: string) => Buffer.from(segment).toString('hex').replace(/../g, '%$&');
const paths = [...new Set(operations.map(({ path }) => path))];

describe('every path', () => {
  it.each(paths)('%s reaches its operations, and returns 405 for other methods', async (path) => {
    const segments = segmentsOf(path);
    for (const method of [...METHODS, 'HEAD', 'OPTIONS', 'QUERY']) {
      expect([method, await ask(method, join(segments))]).toEqual([method, promised(method, segments)]);
    }
  });

  it('is the same with percent-encoded characters', async () => {
    for (const { method, path } of operations) {
      if (path === '/') continue;
      const segments = segmentsOf(path);
      const answer = await ask(method.toUpperCase(), join(segments.map(encodeAll)));
      expect([path, answer]).toEqual([path, promised(method.toUpperCase(), segments)]);
    }
  });

  it('decodes parameters once, with slashes and percent signs in them', async () => {
    for (const value of [
      'a b',
      'a+b',
      'a;b=c',
      '€',
      '__proto__',
      '.hidden',
      '...',
      ':id',
      '{id}',
      '*',
      'a%41',
      '%2F',
    ]) {
      expect(await ask('GET', `/install/${encodeURIComponent(value)}`)).toMatchObject({ body: { capability: value } });
      expect(await ask('DELETE', `/api/v1/builds/${encodeURIComponent(value)}`)).toMatchObject({
        body: { build_id: value },
      });
    }
    expect(await ask('GET', '/install/a%2Fb')).toMatchObject({ status: 200, body: { capability: 'a/b' } });
    expect(await ask('GET', '/install/100%25')).toMatchObject({ status: 200, body: { capability: '100%' } });
    expect(await ask('GET', '/install/%ff%')).toMatchObject({ status: 200, body: { capability: '%ff%' } });
  });

  it('prefers a literal segment to a parameter for every method', async () => {
    expect(await ask('GET', '/install/channels')).toMatchObject({ id: promised('GET', ['install', 'channels']).id });
    const literals = operations.filter((row) =>
      operations.some((other) => other !== row && other.method === row.method && fitsBoth(row.path, other.path)),
    );
    expect(literals.length).toBeGreaterThan(3);
    for (const { id, method, path } of literals) {
      expect(await ask(method.toUpperCase(), join(segmentsOf(path)))).toMatchObject({ id });
    }
  });
});

/** Whether the literal path of one operation also fits the path of another one. */
function fitsBoth(literal: string, other: string): boolean {
  const [left, right] = [literal.split('/'), other.split('/')];
  return (
    left.length === right.length &&
    right.every((part, at) => part === left[at] || (part.startsWith('{') && !left[at]?.startsWith('{')))
  );
}

describe('an unknown path', () => {
  it('is every path with a trailing or an extra slash', async () => {
    for (const { method, path } of operations) {
      if (path === '/') continue;
      const segments = segmentsOf(path);
      expect(await ask(method.toUpperCase(), `${join(segments)}/`)).toMatchObject({ status: 404 });
      expect(await ask(method.toUpperCase(), `/${join(segments)}`)).toMatchObject({ status: 404 });
    }
  });

  it('is a path without its last parameter, unless it belongs to another operation', async () => {
    for (const { method, path } of operations.filter((row) => row.path.endsWith('}'))) {
      const segments = segmentsOf(path, (name) => (path.endsWith(`{${name}}`) ? '' : 'x'));
      expect(await ask(method.toUpperCase(), join(segments))).toEqual(promised(method.toUpperCase(), segments));
    }
  });

  it('is a path with other letters or an encoded slash', async () => {
    for (const path of ['/API/v1/version', '/api/v1/Version', '/api%2Fv1/version', '/api/v1%2fversion', '/%2Fapi']) {
      expect(await ask('GET', path)).toEqual(promised('GET', ['nothing']));
    }
  });

  it('returns the same error for every method after its dot segments are resolved', async () => {
    for (const method of ['GET', 'DELETE', 'PATCH']) {
      for (const path of ['/api/v1/builds/.', '/api/v1/builds/x/..', '/api/v1/builds/%2e']) {
        expect([path, await ask(method, path)]).toEqual([path, promised(method, ['api', 'v1', 'builds', ''])]);
      }
      const resolved = promised(method, ['api', 'v1', 'version']);
      expect(await ask(method, '/api/v1/builds/../version')).toEqual(resolved);
      expect(await ask(method, '/api/v1/./%2e%2E/v1/version?a=b')).toEqual(resolved);
      expect(await ask(method, 'http://elsewhere.example/api/v1/version')).toEqual(resolved);
    }
  });
});
