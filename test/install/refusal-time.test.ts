// Pages for visitors without access leave at the same time, however long it took to find out what their link leads to.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { REFUSAL_TIME_MS, refuseInFixedTime } from '../../src/install/refusal-time.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { ABSENT } from '../support/harness.ts';
import { addPerson } from '../support/people.ts';

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

describe('a page', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  async function timeOf(page: object, work: number): Promise<number> {
    const start = Date.now();
    let time = -1;
    const find = async () => {
      await pause(work);
      return page;
    };
    void refuseInFixedTime(find).then(() => {
      time = Date.now() - start;
    });
    await vi.advanceTimersByTimeAsync(100);
    return time;
  }

  it.each([0, 1, 9])('that refuses access leaves 10 ms after the start, with %i ms of work', async (work) => {
    expect(await timeOf({ isRefusal: true }, work)).toBe(10);
  });

  it('for visitors with access leaves without a pause', async () => {
    expect(await timeOf({}, 3)).toBe(3);
  });
});

describe('the pages of links', () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await startFixture();
  });
  afterAll(() => fixture?.stop());

  it.each([
    ['GET', `/install/channels/${ABSENT}`],
    ['GET', `/install/channels/${ABSENT}/releases/${ABSENT}`],
    ['POST', `/install/channels/${ABSENT}/access-request`],
    ['POST', `/install/channels/${ABSENT}/register-device`],
    ['GET', `/install/builds/${ABSENT}`],
    ['GET', '/i/missing'],
    ['POST', '/i/missing/access-request'],
    ['POST', '/i/missing/register-device'],
  ])('refuse in a fixed time: %s %s', async (method, path) => {
    const { accessToken } = await addPerson(fixture);
    const timers = vi.spyOn(globalThis, 'setTimeout');
    const response = await fetch(fixture.url + path, {
      method,
      headers: { cookie: `svc_access=${accessToken}`, 'sec-fetch-site': 'same-origin' },
    });
    const pauses = timers.mock.calls.filter(([, milliseconds]) => milliseconds === REFUSAL_TIME_MS);
    timers.mockRestore();
    expect([[200, 404].includes(response.status), pauses.length]).toEqual([true, 1]);
  });
});
