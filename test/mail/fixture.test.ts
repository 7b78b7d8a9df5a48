// The emails of the test fixture.
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { api } from '../support/harness.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.stop());

it('are found by an address in any case, and by a pattern in all of them regardless of its state', async () => {
  const path = `/api/v1/organizations/${fixture.organization_id}/testers`;
  for (const email of ['quinn@example.com', 'Rosa@Example.com']) await api(fixture).post(path, { email });
  const wanted = { to: 'quinn@example.com', subject: expect.stringContaining('You can test') };
  expect(await fixture.mail.waitFor('Quinn@Example.com')).toMatchObject(wanted);
  expect((await fixture.mail.waitFor('Rosa@Example.com')).to).toBe('rosa@example.com');
  const pattern = /You can test/g;
  for (let count = 0; count < 3; count += 1) {
    pattern.lastIndex = 1;
    expect(await fixture.mail.waitFor('quinn@example.com', pattern)).toMatchObject(wanted);
  }
});

it('are waited for, for at most five seconds, while a test replaces the time and the timers', async () => {
  vi.useFakeTimers();
  try {
    const waiting = fixture.mail.waitFor('sam@example.com');
    await api(fixture).post(`/api/v1/organizations/${fixture.organization_id}/testers`, { email: 'sam@example.com' });
    expect((await waiting).to).toBe('sam@example.com');
    await expect(fixture.mail.waitFor('nobody@example.com')).rejects.toThrow(
      'No mail to nobody@example.com within 5000 ms',
    );
  } finally {
    vi.useRealTimers();
  }
}, 20_000);
