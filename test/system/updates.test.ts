// Newer versions: nobody is asked without a URL, and with one nothing is sent about the server.
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HOUR } from '../../src/lib/clock.ts';
import { version } from '../../src/lib/version.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { openWorkshop } from '../commands/test-host.ts';
import { type Json, signIn } from '../support/harness.ts';

let host: Server;
let url: string;
let asked: IncomingMessage[];
let answer: { status?: number; body: string };
beforeEach(async () => {
  asked = [];
  answer = { body: '{"tag_name":"v999.0.0"}' };
  host = createServer((request, response) => {
    asked.push(request);
    response.writeHead(answer.status ?? 200).end(answer.body);
  });
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(host.address() as AddressInfo).port}/latest`;
});
afterEach(() => host.close());

/** The finding of `taxiway check` about the version. */
async function check(env: Record<string, string>): Promise<Json | undefined> {
  using workshop = openWorkshop(env);
  const { stdout } = await workshop.run(['check', '--json']);
  return (JSON.parse(stdout) as Json[]).find(({ name }) => name === 'updates');
}

async function find(fixture: Fixture): Promise<Json[]> {
  const { client } = await signIn(fixture);
  const { body } = await client.get<{ findings: Json[] }>('/api/v1/system/findings');
  return body.findings.filter(({ name }) => name === 'updates');
}

describe('without a URL', () => {
  it('nobody is asked', async () => {
    expect(await check({})).toBe(undefined);
    await using fixture = await startFixture();
    expect(await find(fixture)).toEqual([]);
    expect(asked).toEqual([]);
  });
});

describe('with a URL', () => {
  it('System shows a newer version, and asks every six hours at most', async () => {
    await using fixture = await startFixture({ config: { updates: { url } } });
    const available = {
      name: 'updates',
      status: 'warn',
      detail: `999.0.0 is available, this is ${version.version}`,
      code: 'update_available',
      values: { found: '999.0.0', version: version.version },
    };
    expect(asked).toHaveLength(0);
    expect(await find(fixture)).toEqual([available]);
    fixture.clock.advance(5 * HOUR);
    answer = { body: JSON.stringify({ tag_name: version.version }) };
    expect(await find(fixture)).toEqual([available]);
    expect(asked).toHaveLength(1);
    fixture.clock.advance(HOUR);
    expect(await find(fixture)).toMatchObject([{ status: 'ok', code: 'update_none' }]);
    expect(asked).toHaveLength(2);
  });

  it('the request contains nothing about the server', async () => {
    await check({ TAXIWAY_UPDATES__URL: url });
    expect(asked).toHaveLength(1);
    expect(asked[0]?.method).toBe('GET');
    expect(asked[0]?.url).toBe('/latest');
    expect(asked[0]?.headers['user-agent']).toBe('taxiway');
    expect(JSON.stringify(asked[0]?.headers)).not.toContain(version.version);
    expect(asked[0]?.headers.authorization).toBeUndefined();
  });

  it.each([
    ['{"version":"999.1.0"}', 'warn', 'update_available'],
    ['{"tag_name":"v0.0.1"}', 'ok', 'update_none'],
    ['{"tag_name":"v999.0.0-rc.1"}', 'ok', 'update_none'],
    [JSON.stringify({ version: version.version }), 'ok', 'update_none'],
  ])('%s is %s', async (body, status, code) => {
    answer = { body };
    expect(await check({ TAXIWAY_UPDATES__URL: url })).toMatchObject({ status, code });
  });

  it.each([
    [200, '<html>', 'no JSON'],
    [200, '{}', 'no tag_name or version'],
    [200, '{"tag_name":"latest <b>"}', "its version doesn't have the form 1.2.3"],
    [404, '', 'status 404'],
    [200, `"${'x'.repeat(2 ** 20)}"`, 'more than 1048576 bytes'],
  ])('a response with status %i that names no version is a warning (%#)', async (status, body, reason) => {
    answer = { status, body };
    expect(await check({ TAXIWAY_UPDATES__URL: url })).toMatchObject({
      status: 'warn',
      detail: `${url} doesn't name the newest release: ${reason}`,
      code: 'update_unknown',
    });
  });

  it('an account in it is sent as authorization, and is in no message', async () => {
    const withAccount = url.replace('//', '//mary:pass%20word@');
    answer = { status: 404, body: '' };
    const found = await check({ TAXIWAY_UPDATES__URL: withAccount });
    expect(found?.detail).toBe(`${url} doesn't name the newest release: status 404`);
    expect(asked[0]?.headers.authorization).toBe(`Basic ${Buffer.from('mary:pass word').toString('base64')}`);
  });

  it('a server that can not be reached is a warning', async () => {
    await new Promise((resolve) => host.close(resolve));
    const found = await check({ TAXIWAY_UPDATES__URL: url });
    expect(found).toMatchObject({ status: 'warn', code: 'update_unknown' });
    expect(found?.detail).toContain('ECONNREFUSED');
  });
});
