// A client that leaves in the middle of an upload that was rejected.
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { withoutDeadlines } from '../support/deadlines.ts';
import { rawPut } from './storage-harness.ts';

let fixture: Fixture;
beforeEach(async () => {
  fixture = await startFixture();
});
afterEach(() => fixture.stop());

it.each([
  ['closes its side', (socket: ReturnType<typeof connect>) => void socket.end()],
  ['is gone', (socket: ReturnType<typeof connect>) => void socket.destroy()],
])('a client that %s does not delay the stop of the server', async (_, leave) => {
  const { storage, clock } = fixture.app;
  const expiresAt = new Date(clock.now().getTime() + 60_000);
  const { url } = await storage.signPut({ key: 'pending/1', expiresAt, subject: 'test' });
  await withoutDeadlines(async () => {
    const socket = connect(Number(new URL(fixture.url).port), '127.0.0.1');
    socket.write(rawPut(url, { 'Content-Length': 100, 'Content-MD5': 'abc' }));
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1\.1 400 /);
    leave(socket);
    await fixture.stop();
  });
});
