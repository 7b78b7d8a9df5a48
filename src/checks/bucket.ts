// Health checks of a bucket: every kind of request that the server and its clients send, each with the permission it needs.
import { randomBytes, randomUUID } from 'node:crypto';
import type { Config } from '../config.ts';
import { StorageError } from '../core/storage.ts';
import { systemClock } from '../lib/clock.ts';
import { describeFailure } from '../lib/failure.ts';
import { createSecrets } from '../runtime/secrets.ts';
import { describeCors, describePolicy, setCors } from '../storage/s3/documents.ts';
import { type OpenBucket, openConfiguredBucket } from '../storage/s3/open.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** Findings, and documents to paste if a permission or the CORS rule is missing. */
export type BucketReport = { findings: Finding[]; documents: string[] };

/** The service accepts signatures of clocks that differ by up to 15 minutes. */
const MAX_SKEW_MS = 60_000;
const LIFETIME_MS = 5 * 60_000;
const CLIENT_TIMEOUT_MS = 10_000;

/** Tries everything that the server needs. With `isSettingCors`, first adds the CORS rule to the bucket. Leaves no object. */
export async function checkBucket(
  config: Config,
  { isSettingCors }: { isSettingCors: boolean },
): Promise<BucketReport> {
  const { keyring } = createSecrets(randomBytes(32));
  const { base_url: baseUrl } = config.server;
  const bucket = openConfiguredBucket(config.storage.s3, { baseUrl, keyring, clock: systemClock });
  try {
    return await examine(bucket, new URL(baseUrl).origin, isSettingCors);
  } finally {
    bucket.close();
  }
}

async function examine(
  { storage, credentials }: OpenBucket,
  origin: string,
  isSettingCors: boolean,
): Promise<BucketReport> {
  const { client } = storage;
  const { location } = client;
  const key = `check/${randomUUID()}`;
  try {
    await credentials.load();
  } catch (error) {
    return { findings: [fail('bucket', describeFailure(error))], documents: [] };
  }
  const tried = await tryRequests(storage, key, isSettingCors ? origin : undefined);
  const findings = [...tried.problems, ...findSkew(client.clockSkewMs())];
  if (findings.length === 0) {
    const where = `${location.bucket} at ${location.urlOf().host}`;
    findings.push(
      ok('bucket', `uploads, ranges, copies, lists and deletions work in ${where} (keys: ${credentials.describe()})`),
    );
  }
  const documents = tried.isForbidden ? [documentOf('Policy of the keys', describePolicy(location))] : [];
  if (tried.isReached) {
    const problem = await findCorsProblem(storage, key, origin);
    findings.push(
      problem === undefined
        ? ok('bucket CORS', `browsers may upload from ${origin}`)
        : warn('bucket CORS', `${problem}: add the rule below, or run taxiway check --set-cors`),
    );
    if (problem !== undefined) documents.push(documentOf('CORS rules of the bucket', describeCors(origin)));
  }
  return { findings, documents };
}

interface TriedRequests {
  problems: Finding[];
  isReached: boolean;
  /** Whether a permission is missing. */
  isForbidden: boolean;
}

/**
 * Sends every kind of request, and adds the CORS rule for `corsOrigin`, if given. Stops after the first one if the bucket can't
 * be reached, because the others would only repeat it.
 */
async function tryRequests(
  storage: OpenBucket['storage'],
  key: string,
  corsOrigin: string | undefined,
): Promise<TriedRequests> {
  const { client } = storage;
  const copy = `${key}-copy`;
  const sent = Buffer.from(`taxiway ${key}`);
  const problems: Finding[] = [];
  let isForbidden = false;

  /** Returns whether it succeeded. */
  async function attempt(permission: string, work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      const reason = reasonOf(error);
      const lacksPermission = /\b403\b/.test(reason);
      if (lacksPermission) isForbidden = true;
      problems.push(
        fail('bucket', lacksPermission ? `${permission} is missing: ${reason}` : `${permission}: ${reason}`),
      );
      return false;
    }
  }

  const isListed = await attempt('s3:ListBucket', () => storage.list('check/', { limit: 1 }));
  if (!isListed && !isForbidden) return { problems, isReached: false, isForbidden };
  const isStored = await attempt('s3:PutObject', () => storage.put(key, sent));
  if (isStored) {
    await attempt('s3:GetObject', async () => {
      const part = await storage.read(key, 8, 5);
      if (!part.equals(sent.subarray(8, 13))) throw new Error('a range of an object has other bytes');
    });
    await attempt('s3:PutObject and s3:GetObject (copy)', async () => {
      const head = await storage.head(key);
      await storage.move(key, copy, head);
    });
    await attempt('s3:AbortMultipartUpload', async () => {
      const headers = { 'content-type': 'application/octet-stream' };
      const answer = await client.call({ method: 'POST', key, query: { uploads: '' }, headers });
      const uploadId = /<UploadId>([^<]+)/.exec(answer.body.toString())?.[1] ?? '';
      await client.call({ method: 'DELETE', key, query: { uploadId } });
    });
    await attempt('link for downloads', () => checkLink(storage, key, sent));
  }
  await attempt('s3:DeleteObject', async () => {
    for (const { error } of await storage.deleteMany([key, copy])) throw error;
  });
  if (corsOrigin !== undefined) {
    await attempt('s3:GetBucketCORS and s3:PutBucketCORS', () => setCors(client, corsOrigin));
  }
  return { problems, isReached: true, isForbidden };
}

/** Returns what is wrong with the clock of this machine, which the service has compared with its own. */
function findSkew(skewMs: number | undefined): Finding[] {
  if (skewMs === undefined || Math.abs(skewMs) <= MAX_SKEW_MS) return [];
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  const direction = skewMs > 0 ? 'behind' : 'ahead of';
  return [fail('bucket clock', `the clock of this machine is ${seconds} s ${direction} that of the service`)];
}

function reasonOf(error: unknown): string {
  const cause = error instanceof StorageError ? error.cause : undefined;
  return describeFailure(cause ?? error);
}

const documentOf = (title: string, content: object): string => `${title}:\n${JSON.stringify(content, null, 2)}\n`;

/** Downloads as a client would: from the public endpoint, with a file name that has to be signed correctly. */
async function checkLink(storage: OpenBucket['storage'], key: string, sent: Buffer): Promise<void> {
  const url = await storage.presignGet({
    key,
    method: 'GET',
    expiresAt: new Date(systemClock.time() + LIFETIME_MS),
    fileName: 'a "name" (1).ipa',
    contentType: 'application/octet-stream',
  });
  const answer = await fetch(url, { signal: AbortSignal.timeout(CLIENT_TIMEOUT_MS), redirect: 'error' });
  const bytes = Buffer.from(await answer.arrayBuffer());
  if (answer.status !== 200) throw new Error(`${new URL(url).host} responds with ${answer.status}`);
  if (!bytes.equals(sent)) throw new Error('the object has other bytes');
  if (!answer.headers.get('content-disposition')?.startsWith('attachment; filename="a _name_ (1).ipa"')) {
    throw new Error('the service ignores the file name of a download');
  }
}

/** Returns why a browser at `origin` can't upload, or undefined if it can. */
async function findCorsProblem(
  storage: OpenBucket['storage'],
  key: string,
  origin: string,
): Promise<string | undefined> {
  const expiresAt = new Date(systemClock.time() + LIFETIME_MS);
  const { url } = await storage.signPut({ key, expiresAt, subject: 'check' });
  try {
    const answer = await fetch(url, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'PUT',
        'access-control-request-headers': 'content-type',
      },
      signal: AbortSignal.timeout(CLIENT_TIMEOUT_MS),
    });
    await answer.arrayBuffer();
    const allowed = answer.headers.get('access-control-allow-origin');
    const methods = answer.headers.get('access-control-allow-methods') ?? '';
    if (!answer.ok || (allowed !== '*' && allowed !== origin) || !/\bPUT\b|\*/.test(methods)) {
      return `browsers may not upload from ${origin}`;
    }
    return undefined;
  } catch (error) {
    return `${new URL(url).host} can't be reached: ${describeFailure(error)}`;
  }
}
