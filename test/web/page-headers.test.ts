// Headers that protect secrets in addresses: pages send no referrer, and browsers guess no content types.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isJsonShape, type Operation } from '../../src/http/operation.ts';
import { operations } from '../../src/operations.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { ABSENT } from '../support/harness.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.stop());

const shownHeaders = ({ headers }: Response) => ({
  'referrer-policy': headers.get('referrer-policy'),
  'x-content-type-options': headers.get('x-content-type-options'),
});
const kept = { 'referrer-policy': 'no-referrer', 'x-content-type-options': 'nosniff' };

const isPage = ({ returns }: Operation) =>
  !isJsonShape(returns) && returns.kind === 'media' && returns.type === 'text/html';
const forPeople = operations.filter((row) => isPage(row) || row.acceptsForm === true);

describe('every page', () => {
  it.each(forPeople.map((row) => [`${row.method.toUpperCase()} ${row.path}`, row] as const))(
    '%s sends no referrer, successful or not',
    async (_title, row) => {
      const url = new URL(row.path.replace(/\{\w+\}/g, ABSENT), fixture.url);
      url.searchParams.set('token', 'svc_secret');
      const answers = [
        await fetch(url, { method: row.method, headers: { accept: 'text/html' }, redirect: 'manual' }),
        await fetch(url, {
          method: row.method,
          headers: { accept: 'text/html', authorization: `Bearer ${fixture.admin.access_token}` },
          redirect: 'manual',
          ...(row.method === 'get' ? {} : { body: new URLSearchParams({ token: 'svc_secret' }) }),
        }),
      ];
      expect(answers.map(shownHeaders)).toEqual([kept, kept]);
    },
  );
});

describe('storage responses', () => {
  it.each([
    ['GET', '/storage/v1/builds/none/package.apk?op=get&sig=none', 403],
    ['HEAD', '/storage/v1/builds/none/package.apk?op=get&sig=none', 403],
    ['PUT', '/storage/v1/builds/none/package.apk?op=put&sig=none', 403],
    ['DELETE', '/storage/v1/builds/none/package.apk', 405],
    ['GET', '/storage/v1/%00', 400],
  ])('to %s %s let no browser guess their type', async (method, path, status) => {
    const answer = await fetch(`${fixture.url}${path}`, { method });
    expect([answer.status, shownHeaders(answer)]).toEqual([status, kept]);
  });
});
