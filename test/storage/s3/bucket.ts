// Buckets of a real S3 service for tests, each with a storage on it.
import { randomUUID } from 'node:crypto';

import { openS3Storage, type S3Storage, type S3StorageOptions } from '../../../src/storage/s3/backend.ts';
import { createS3Client, type RetryOptions, type S3Client } from '../../../src/storage/s3/client.ts';
import { type CredentialSource, createCredentials } from '../../../src/storage/s3/credentials.ts';
import { locateBucket } from '../../../src/storage/s3/location.ts';
import { createTransport, type Transport } from '../../../src/storage/s3/transport.ts';
import { CEPH_KEYS, type Ceph } from '../../support/ceph.ts';
import { keyring } from '../storage-harness.ts';

export interface Bucket {
  name: string;
  client: S3Client;
  storage: S3Storage;
  /** Another storage on the same bucket, such as one behind a proxy. */
  open(options?: BucketOptions): S3Storage;
  /** A storage with other credentials. */
  openWith(credentials: CredentialSource): S3Storage;
  close(): void;
}

export type BucketOptions = Partial<S3StorageOptions> & {
  endpoint?: string;
  prefix?: string;
  retries?: Partial<RetryOptions>;
  /** Divides all deadlines, for requests that hang. */
  haste?: number;
  keys?: { accessKeyId: string; secretAccessKey: string };
};

/** Creates an empty bucket. */
export async function createBucket(ceph: Pick<Ceph, 'url'>, options: BucketOptions = {}): Promise<Bucket> {
  const transport = createTransport();
  const name = `test-${randomUUID()}`;
  const clientOf = (given: BucketOptions, source?: CredentialSource) => {
    const { endpoint = ceph.url, prefix = 'some/folder', retries, haste = 1, keys = CEPH_KEYS } = given;
    const region = 'us-east-1';
    const credentials =
      source ??
      createCredentials({
        ...keys,
        sessionToken: '',
        credentialsFile: '',
        region,
        env: {},
        transport,
      });
    const where = { endpoint, publicEndpoint: '', region, bucket: name, prefix, forcePathStyle: true };
    const hasty: Transport = {
      ...transport,
      send: (request, { silenceMs, totalMs, maxBytes }) =>
        transport.send(request, { silenceMs: silenceMs / haste, totalMs: totalMs / haste, maxBytes }),
    };
    return createS3Client({ location: locateBucket(where), region, credentials, transport: hasty, retries });
  };
  const open = (given: BucketOptions = {}) => {
    const {
      endpoint: _endpoint,
      prefix: _prefix,
      retries: _retries,
      keys: _keys,
      haste: _haste,
      ...rest
    } = { ...options, ...given };
    return openS3Storage({
      client: clientOf({ ...options, ...given }),
      baseUrl: 'http://taxiway.test',
      keyring,
      clock: { now: () => new Date() },
      ...rest,
    });
  };
  await clientOf(options).call({ method: 'PUT' });
  const openWith = (source: CredentialSource) =>
    openS3Storage({ client: clientOf(options, source), baseUrl: '', keyring, clock: { now: () => new Date() } });
  const storage = open();
  return { name, client: storage.client, storage, open, openWith, close: () => transport.close() };
}
