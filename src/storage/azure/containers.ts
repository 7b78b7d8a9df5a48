// The containers of organizations: which one is for new packages, and their storages, opened when they're needed.
import { randomUUID } from 'node:crypto';
import type Sqlite from 'better-sqlite3';
import type { Tx } from '../../core/context.ts';
import { type Storage, StorageError } from '../../core/storage.ts';
import { type Clock, MINUTE, SECOND } from '../../lib/clock.ts';
import { type Containers, noContainers } from '../router.ts';
import { deleteEach } from './backend.ts';
import * as store from './container-store.ts';
import { AzureRefusal } from './retries.ts';

/** Called when requests to a container fail. */
type OutageListener = (containerId: string, failure: StorageError) => void;

export type CustomerContainers = Containers & {
  onOutage(listener: OutageListener): void;
};

/** After a failure, requests fail immediately for this long, so that nobody waits for the deadlines of an unreachable container. */
const FAIL_FAST_MS = 5 * SECOND;

type Opened = { stamp: number; storage: Storage; direct: Storage };

/** A database of an earlier version, or one that is only read, has none. */
export const withoutContainers: CustomerContainers = {
  ...noContainers,
  onOutage: () => undefined,
};

/** Returns the containers of a database. `open` opens one and sends no request. */
export function createContainers({
  client,
  clock,
  open,
}: {
  client: Sqlite.Database;
  clock: Clock;
  open(row: store.ContainerRow): Storage;
}): CustomerContainers {
  const queries = store.prepareContainerQueries(client);
  const opened = new Map<string, Opened>();
  const failing = new Map<string, { at: number; error: StorageError }>();
  let listener: OutageListener = () => undefined;

  function note(id: string, error: unknown): void {
    if (!isOutage(error)) return;
    failing.set(id, { at: clock.time(), error });
    listener(id, error);
  }

  function refuseWhileFailing(id: string): void {
    const found = failing.get(id);
    if (found === undefined) return;
    if (Math.abs(clock.time() - found.at) < FAIL_FAST_MS) throw found.error;
    failing.delete(id);
  }

  /** Notes failures, and lets requests fail immediately after one. */
  function watch(id: string, storage: Storage): Storage {
    const follow =
      <Arguments extends unknown[], Result>(method: (...given: Arguments) => Promise<Result>) =>
      async (...given: Arguments): Promise<Result> => {
        refuseWhileFailing(id);
        try {
          return await method(...given);
        } catch (error) {
          note(id, error);
          throw error;
        }
      };
    return {
      ...storage,
      signPut: follow(storage.signPut),
      signGet: follow(storage.signGet),
      head: follow(storage.head),
      get: follow(storage.get),
      read: follow(storage.read),
      move: follow(storage.move),
      delete: follow(storage.delete),
      list: follow(storage.list),
      put: follow(storage.put),
      hasRoom: follow(storage.hasRoom),
      // Those after a failure fail immediately too.
      deleteMany: (keys) => deleteEach(keys, follow(storage.delete)),
    };
  }

  /** Opens a container. Its secret can't be decrypted with another key than the server's. */
  function openStorage(row: store.ContainerRow): Storage {
    try {
      return open(row);
    } catch (error) {
      const failure = new StorageError('unavailable', "the credentials of the container can't be used", error);
      note(row.id, failure);
      throw failure;
    }
  }

  function openRow(id: string): Opened {
    const row = queries.find(id);
    if (row === undefined) throw new StorageError('unavailable', 'the container of the object is not known');
    const known = opened.get(id);
    if (known?.stamp === row.updatedAt) return known;
    const storage = openStorage(row);
    const fresh = { stamp: row.updatedAt, storage: watch(id, storage), direct: storage };
    // Other credentials may work.
    failing.delete(id);
    opened.set(id, fresh);
    return fresh;
  }

  return {
    placeForNew(organizationId) {
      const id = queries.findActive(organizationId);
      return id === undefined ? undefined : `azure:${id}`;
    },
    open: (id) => openRow(id).storage,
    // Reading may work while writing doesn't, so only this shows that an outage is over.
    async probe(id) {
      const { direct } = openRow(id);
      const key = `check/${randomUUID()}`;
      const sent = Buffer.from(key);
      const expiresAt = new Date(clock.time() + MINUTE);
      try {
        await direct.signPut({ key, expiresAt, subject: 'check' });
        await direct.put(key, sent);
        const received = await direct.read(key, 0, sent.length + 1);
        await direct.delete(key);
        if (!received.equals(sent)) throw new StorageError('unavailable', 'an object was altered');
      } catch (error) {
        note(id, error);
        throw error;
      }
      failing.delete(id);
    },
    onOutage(given) {
      listener = given;
    },
  };
}

/** The service rejects these requests because of the state of one blob, such as a lease. */
const CONFLICTS = [409, 412];

/** Whether a failure is one of the whole container. A conflict of one blob isn't. */
function isOutage(error: unknown): error is StorageError {
  if (!(error instanceof StorageError) || error.code !== 'unavailable') return false;
  const { cause } = error;
  return !(cause instanceof AzureRefusal) || cause.service === 'entra' || !CONFLICTS.includes(cause.status);
}

/** Returns what an organization's admins can act on: the service's own code and message, if it responded. */
export function describeOutage(error: StorageError): string {
  const { cause } = error;
  return (cause instanceof Error ? cause.message : error.message).slice(0, 500);
}

export interface ContainerConnection {
  organizationId: string;
  account: string;
  container: string;
  tenantId: string;
  clientId: string;
  /** Of the application; null with federation. */
  secret: string | null;
}

/** What a container's secret is encrypted for. */
export const containerSecretPurpose = (id: string): string => `customer container ${id}`;

/**
 * Makes a container the one for new packages of an organization, in the operator's transaction. The same container again gets
 * the new credentials. Objects in an earlier container stay there until they're moved. Returns the ID.
 */
export function activateContainer(tx: Tx, connection: ContainerConnection): string {
  const { organizationId, account, container } = connection;
  const known = store
    .listContainers(tx, organizationId)
    .find((row) => row.account === account && row.container === container);
  const id = known?.id ?? tx.ids.next();
  const { secret, tenantId, clientId } = connection;
  const secretEncrypted = secret && tx.secrets.encrypt(secret, containerSecretPurpose(id));
  if (known?.state !== 'active') store.clearActive(tx, organizationId);
  if (known !== undefined) {
    store.saveCredentials(tx, { id, tenantId, clientId, secretEncrypted });
    return id;
  }
  store.insertContainer(tx, {
    id,
    organizationId,
    account,
    container,
    tenantId,
    clientId,
    secretEncrypted,
    prefix: `${organizationId}/`,
    state: 'active',
    activatedAt: tx.now,
    updatedAt: tx.now,
    unreachableSince: null,
    unreachableReason: null,
    reportedAt: null,
    mailedAt: null,
    orphanedAt: null,
  });
  return id;
}

/** Stores new packages of an organization on the server again. Existing ones stay where they are. Returns whether a change was made. */
export function leaveContainer(tx: Tx, organizationId: string): boolean {
  return store.clearActive(tx, organizationId);
}
