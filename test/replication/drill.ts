// What the drills of replication share: machines that replicate to a bucket, their load, and what the next one has to serve.
import { join } from 'node:path';
import { expect } from 'vitest';
import { findFreePort } from '../../scripts/lib/ports.ts';
import type { Client } from '../crash/client.ts';
import type { Installation, ServerRun } from '../crash/installation.ts';
import { makePackage } from '../crash/payloads.ts';
import { type Program, runHere, runProgram } from '../crash/program.ts';
import { inProject, type Worker } from '../crash/worker.ts';
import type { Bucket } from '../storage/s3/bucket.ts';
import { CEPH_KEYS, type Ceph } from '../support/ceph.ts';
import { sha256 } from '../support/fixtures.ts';
import { litestreamProgram, type RunningLitestream, startLitestream } from '../support/litestream.ts';

/** What a replica may lose. */
const LOST_MS = 1_000;
const LOAD_MS = 120_000;

/** Returns the environment of machines that keep their packages and their replica in a bucket. */
export async function replicatedEnv(
  { ceph, bucket, baseUrl }: { ceph: Ceph; bucket: Bucket; baseUrl: string },
  replicaUrl = ceph.url,
): Promise<Record<string, string>> {
  const keys = (table: string, url: string) => ({
    [`TAXIWAY_${table}__S3__ENDPOINT`]: url,
    [`TAXIWAY_${table}__S3__FORCE_PATH_STYLE`]: 'true',
    [`TAXIWAY_${table}__S3__ACCESS_KEY_ID`]: CEPH_KEYS.accessKeyId,
    [`TAXIWAY_${table}__S3__SECRET_ACCESS_KEY`]: CEPH_KEYS.secretAccessKey,
  });
  return {
    TAXIWAY_SERVER__SECRET_KEY: 'the same secret key on both machines',
    TAXIWAY_SERVER__BASE_URL: baseUrl,
    TAXIWAY_STORAGE__BACKEND: 's3',
    TAXIWAY_STORAGE__S3__BUCKET: bucket.name,
    ...keys('STORAGE', ceph.url),
    TAXIWAY_REPLICATION__TARGET: `s3://${bucket.name}/replica`,
    // Leaves time for a busy machine: a replica at this interval is behind by less.
    TAXIWAY_REPLICATION__INTERVAL_MS: '500',
    TAXIWAY_REPLICATION__PROGRAM: litestreamProgram,
    TAXIWAY_REPLICATION__METRICS_ADDRESS: `127.0.0.1:${await findFreePort()}`,
    ...keys('REPLICATION', replicaUrl),
  };
}

/** Sets up Litestream with the command, and starts it. */
export async function replicate(folder: string, env: Record<string, string>): Promise<RunningLitestream> {
  expect(await runHere(folder, ['replication', 'configure'], env)).toMatchObject({ code: 0 });
  return startLitestream(join(folder, 'litestream.yml'));
}

/** Waits until `taxiway check` finds that the replica has everything. */
export async function awaitReplica(folder: string, env: Record<string, string>): Promise<void> {
  const findCodes = async () => {
    const { stdout } = await runHere(folder, ['check', '--json'], env);
    return (JSON.parse(stdout) as { code: string }[]).map(({ code }) => code);
  };
  await expect.poll(findCodes, { interval: 500, timeout: 30_000 }).toContain('replication_current');
}

/** Restores the replica into the folder of a machine, and starts its server. */
export async function restoreReplica(
  program: Program,
  machine: Installation,
  env: Record<string, string>,
): Promise<ServerRun> {
  const { ended, output } = runProgram(program, machine.folder, ['restore', '--from-replica'], { env });
  expect({ ...(await ended), stderr: output.stderr }).toMatchObject({ code: 0 });
  return machine.start({ env });
}

export async function answered(
  client: Client,
  worker: Worker,
  method: string,
  path: string,
  json?: unknown,
  status = 200,
) {
  const answer = await client.ask(method, path, { token: worker.session.accessToken, json });
  if (answer.status !== status) throw new Error(`${method} ${path} answered ${answer.status} ${answer.bytes}`);
  return answer.body;
}

/** What was acknowledged, and when. */
interface Acknowledged {
  builds: { id: string; sha256: string; at: number }[];
  /** The numbers in the descriptions of a project. */
  descriptions: { number: number; at: number }[];
}

/** Writes as fast as the server answers, until it's gone. */
export class Load {
  readonly #workers: readonly Worker[];
  readonly #name: string;
  readonly #acknowledged: readonly Acknowledged[];
  /** Settled when the server doesn't answer any more. */
  readonly over: Promise<unknown>;
  #isOver = false;

  /** The name distinguishes what several loads write. */
  constructor(client: Client, workers: readonly Worker[], name: string) {
    this.#workers = workers;
    this.#name = name;
    this.#acknowledged = workers.map(() => ({ builds: [], descriptions: [] }));
    this.over = Promise.allSettled(
      workers.flatMap((worker, index) => {
        const log = this.#acknowledged[index] as Acknowledged;
        return [upload(client, worker, log, name), describeProject(client, worker, log, name)];
      }),
    ).then(() => (this.#isOver = true));
  }

  /** Waits until each worker has written more than this. */
  async reach({ builds, descriptions }: { builds: number; descriptions: number }): Promise<void> {
    const isEnough = () =>
      this.#acknowledged.every((log) => log.builds.length > builds && log.descriptions.length > descriptions);
    await expect.poll(() => this.#isOver || isEnough(), { timeout: LOAD_MS }).toBe(true);
    expect(isEnough()).toBe(true);
  }

  /**
   * Expects a server to have everything that was acknowledged before a moment, with the packages. The sessions continue there. Names lead
   * to the address of the server.
   */
  async expectServed({ client }: Pick<ServerRun, 'client'>, url: string, before: number): Promise<void> {
    const isOld = ({ at }: { at: number }): boolean => at < before;
    for (const [index, worker] of this.#workers.entries()) {
      const { builds, descriptions } = this.#acknowledged[index] as Acknowledged;
      const project = await answered(client, worker, 'GET', `/api/v1/projects/${worker.place.projectId}`);
      // The last one may not have been acknowledged any more.
      const [name, number] = String(project.description).split(' ');
      expect(name).toBe(this.#name);
      expect(Number(number)).toBeGreaterThanOrEqual(descriptions.findLast(isOld)?.number ?? 1);
      for (const { id, sha256: checksum } of builds.filter(isOld)) {
        const build = await answered(client, worker, 'GET', `/api/v1/builds/${id}`);
        expect(build.sha256).toBe(checksum);
        const link = await answered(client, worker, 'GET', `/api/v1/builds/${id}/download`);
        const { pathname, search } = new URL(String(link.download_url));
        const sent = await fetch(new URL(`${pathname}${search}`, url));
        expect(sha256(Buffer.from(await sent.arrayBuffer()))).toBe(checksum);
      }
    }
  }
}

/** Before which moment everything acknowledged is in the replica when the machine was lost at another. */
export const keptBefore = (lostAt: number): number => lostAt - LOST_MS;

/** Uploads packages one after another until the server is gone. */
async function upload(client: Client, worker: Worker, { builds }: Acknowledged, name: string): Promise<void> {
  for (let number = 1; ; number += 1) {
    const payload = makePackage(worker.random);
    const identity = { version_name: `${name}.${number}`, build_number: number };
    const path = `/api/v1/builds/initiate?${inProject(worker)}`;
    const pending = await answered(client, worker, 'POST', path, identity, 201);
    const sent = await fetch(String(pending.upload_url), { method: 'PUT', body: new Uint8Array(payload.bytes) });
    if (sent.status !== 200) throw new Error(`the bucket answered ${sent.status}`);
    const complete = `/api/v1/builds/${pending.pending_upload_id}/complete?${inProject(worker)}`;
    const build = await answered(client, worker, 'POST', complete, { sha256: payload.sha256 }, 201);
    builds.push({ id: String(build.identifier), sha256: payload.sha256, at: Date.now() });
  }
}

/** Changes the description of the project as fast as the server answers. */
async function describeProject(
  client: Client,
  worker: Worker,
  { descriptions }: Acknowledged,
  name: string,
): Promise<void> {
  for (let number = 1; ; number += 1) {
    const description = `${name} ${number}`;
    await answered(client, worker, 'PATCH', `/api/v1/projects/${worker.place.projectId}`, { description });
    descriptions.push({ number, at: Date.now() });
  }
}
