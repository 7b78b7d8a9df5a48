// The validation of a container: does everything that builds need, step by step, and says whose turn it is if a step fails. Can be
// repeated, and interrupted at any time: the next run deletes what an interrupted one left.
import { randomUUID } from 'node:crypto';
import { StorageError } from '../core/storage.ts';
import { SealedValueError } from '../runtime/secrets.ts';
import { checkContainer, deleteBlob, hasAzureCode, listBlobs, putBlob } from '../storage/azure/blobs.ts';
import type { OpenContainer } from '../storage/azure/open.ts';
import { AzureRefusal, isTemporary, tidy } from '../storage/azure/retries.ts';
import type { FailureStage } from './schema.ts';

/** The failed step. */
export interface ProbeFailure {
  stage: FailureStage;
  responsibility: 'customer' | 'platform';
  /** The provider's code and message, or why there is none. */
  detail: string;
}

/** No step begins later, so that the whole validation ends within a job's time. */
const BUDGET_MS = 25_000;
const MAX_LEFT = 20;
const FOLDER = 'taxiway-validation';

class OutOfTime extends Error {}
class Residue extends Error {}

/**
 * Returns the failed step, or undefined if everything works. `id` keeps the markers of different requests apart. `open` may throw
 * SealedValueError, after the server's key was replaced.
 */
export async function probeContainer(open: () => OpenContainer, id: string): Promise<ProbeFailure | undefined> {
  try {
    return await probe(open(), id);
  } catch (error) {
    if (!(error instanceof SealedValueError)) throw error;
    return { stage: 'token_exchange', responsibility: 'platform', detail: "the stored secret can't be decrypted" };
  }
}

async function probe({ client, tokens, delegation }: OpenContainer, id: string): Promise<ProbeFailure | undefined> {
  const endsAt = performance.now() + BUDGET_MS;
  let stage: FailureStage = 'token_exchange';
  const step = async <T>(name: FailureStage, work: () => Promise<T>): Promise<T> => {
    stage = name;
    if (performance.now() > endsAt) throw new OutOfTime('the provider was too slow');
    return work();
  };
  const folder = `${FOLDER}/${id}/`;
  const marker = `${folder}${randomUUID()}`;
  try {
    await step('token_exchange', () => tokens.load());
    await step('container_check', () => delegation.renew());
    await step('container_check', () => checkContainer(client)).catch((error: unknown) => {
      if (hasAzureCode(error, 'ContainerNotFound')) stage = 'container_not_found';
      throw error;
    });
    await step('put_marker', () => putBlob(client, marker, Buffer.from('taxiway')));
    await step('delete_marker', () => deleteBlob(client, marker));
    const { items } = await step('list_container', () => listAll(client, folder));
    await step('soft_delete_residue', async () => {
      if (items.some(({ key }) => key === marker)) throw new Residue('the deleted blob is still in the container');
    });
    const left = items.filter(({ isDeleted, isCurrent }) => !isDeleted && isCurrent).slice(0, MAX_LEFT);
    for (const { key } of left) if (key.startsWith(folder)) await deleteBlob(client, key).catch(() => undefined);
    return undefined;
  } catch (error) {
    return describeFailure(stage, error);
  }
}

/** Lists blobs with deleted ones and versions, as far as the kind of account has them. */
async function listAll(client: OpenContainer['client'], prefix: string) {
  const limit = 1_000;
  try {
    return await listBlobs(client, { prefix, limit, include: ['deleted', 'versions'] });
  } catch (error) {
    // Accounts with a hierarchical namespace have no versions.
    if (!(error instanceof StorageError && error.cause instanceof AzureRefusal && error.cause.status === 400))
      throw error;
    return listBlobs(client, { prefix, limit, include: ['deleted'] });
  }
}

function describeFailure(stage: FailureStage, error: unknown): ProbeFailure {
  const cause = error instanceof StorageError ? (error.cause ?? error) : error;
  return { stage, responsibility: isForCustomer(stage, cause) ? 'customer' : 'platform', detail: detailOf(cause) };
}

/** Whether the customer can fix it. Everything that may end without a change, or concerns this server, is for the operator. */
function isForCustomer(stage: FailureStage, cause: unknown): boolean {
  if (cause instanceof Residue) return true;
  // A storage account that doesn't exist has no address.
  if (cause instanceof Error && 'code' in cause && cause.code === 'ENOTFOUND') return stage !== 'token_exchange';
  if (!(cause instanceof AzureRefusal) || isTemporary(cause)) return false;
  return !(cause.service === 'entra' && OURS.has(cause.code));
}

/** Entra can't read this server's keys, or can't verify its signature. */
const OURS = new Set(['AADSTS50166', 'AADSTS50013', 'AADSTS700024', 'AADSTS700027', 'AADSTS5002723', 'AADSTS500272']);

/** Returns a line for the admins of the organization. System errors of this server contain addresses, so only their codes are used. */
function detailOf(cause: unknown): string {
  if (cause instanceof AzureRefusal) return cause.message;
  if (cause instanceof Residue || cause instanceof OutOfTime || cause instanceof StorageError) return cause.message;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return code === '' ? 'no response' : `no response: ${tidy(code, 60)}`;
}
