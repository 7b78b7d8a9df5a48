// A container after a failure: requests to it fail immediately for some seconds.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Storage, StorageError } from '../../../src/core/storage.ts';
import { DAY, SECOND } from '../../../src/lib/clock.ts';
import { createContainers } from '../../../src/storage/azure/containers.ts';
import { openTestApp } from '../../core/open-app.ts';
import { ABSENT } from '../../support/harness.ts';

let opened: Awaited<ReturnType<typeof openTestApp>>;
beforeEach(async () => {
  opened = await openTestApp();
});
afterEach(() => opened.close());

/** Opens a container that fails once. */
function openContainer() {
  const { $client: client } = opened.app.db;
  client
    .prepare(
      `INSERT INTO customer_containers (id, prefix, account, container, tenant_id, client_id, state, activated_at, updated_at)
        VALUES (?, 'p', 'a', 'c', 't', 'i', 'active', 0, 0)`,
    )
    .run(ABSENT);
  const head = vi.fn(async () => undefined);
  head.mockRejectedValueOnce(new StorageError('unavailable', 'the service is not reachable'));
  const { open } = createContainers({ client, clock: opened.clock, open: () => ({ head }) as unknown as Storage });
  return { head, look: () => open(ABSENT).head('object') };
}

it('is not asked for five seconds after a failure', async () => {
  const { head, look } = openContainer();
  await expect(look()).rejects.toThrow('the service is not reachable');
  opened.clock.advance(5 * SECOND - 1);
  await expect(look()).rejects.toThrow('the service is not reachable');
  expect(head).toHaveBeenCalledTimes(1);
  opened.clock.advance(1);
  await expect(look()).resolves.toBeUndefined();
  expect(head).toHaveBeenCalledTimes(2);
});

it('is asked again if the clock was ahead during the failure', async () => {
  const { look } = openContainer();
  opened.clock.jump(DAY);
  await expect(look()).rejects.toThrow('the service is not reachable');
  opened.clock.jump(-DAY);
  await expect(look()).resolves.toBeUndefined();
});
