// The tables of config.toml about what is stored and copied: storage, backup and replication.
import { Cron } from 'croner';
import * as z from 'zod';
import { isIpUrl } from '../lib/ip-url.ts';
import { serverBackends } from '../lib/storage-backends.ts';
import { checkedText, choice, filePath, flag, httpAddress, secret, text, wholeNumber } from './values.ts';

const PREFIX = /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]{0,98}[A-Za-z0-9_-]?(?:\/(?!$)|$)){0,4}$/;

/** The keys of every table about a service with buckets. */
const bucketService = {
  endpoint: httpAddress(),
  region: checkedText('a region such as "eu-central-1"', (region) => /^[a-z0-9-]{1,64}$/.test(region), 'us-east-1'),
  force_path_style: flag(false),
  access_key_id: text(),
  secret_access_key: secret(),
  credentials_file: text(),
};

/** A name can't be put before an IP address. */
const PATH_STYLE = 'true, because the endpoint is an IP address and the bucket would be a part of its name';

const isBucket = (name: string) => /^[A-Za-z0-9][A-Za-z0-9._-]{1,62}$/.test(name);
const isPrefix = (prefix: string) => prefix.length <= 200 && PREFIX.test(prefix);

const s3 = z
  .strictObject({
    ...bucketService,
    bucket: checkedText('the name of a bucket', (name) => name === '' || isBucket(name)),
    prefix: checkedText('"" or a path such as "taxiway/builds"', isPrefix),
    public_endpoint: httpAddress(),
    proxy_downloads: flag(false),
    session_token: secret(),
  })
  .prefault({});

export const storage = z
  .strictObject({
    backend: choice(serverBackends, 'local'),
    local: z
      .strictObject({
        directory: filePath('folder', 'blobs'),
        reserve_bytes: wholeNumber(0, 2 ** 50, 1024 ** 3),
        reserve_percent: wholeNumber(0, 50, 2),
        uploading_bytes_per_project: wholeNumber(1, 2 ** 50, 4 * 1024 ** 3),
      })
      .prefault({}),
    s3,
  })
  .refine(({ backend, s3: { bucket } }) => backend !== 's3' || bucket !== '', {
    path: ['s3', 'bucket'],
    params: { expected: 'the name of a bucket, because storage.backend is "s3"' },
  })
  .refine(
    ({ backend, s3: { bucket, access_key_id, secret_access_key } }) =>
      (backend !== 's3' && bucket === '') || (access_key_id === '') === (secret_access_key === ''),
    {
      path: ['s3', 'secret_access_key'],
      params: { expected: 'both storage.s3.access_key_id and storage.s3.secret_access_key, or neither' },
    },
  )
  .refine(
    ({ s3: { bucket, force_path_style, endpoint, public_endpoint } }) =>
      bucket === '' || force_path_style || ![endpoint, public_endpoint].some(isIpUrl),
    {
      path: ['s3', 'force_path_style'],
      params: { expected: PATH_STYLE },
    },
  );

/** Where backups go, in addition to the place. */
const backupS3 = z.strictObject({ ...bucketService, session_token: secret() }).prefault({});

export const backup = z
  .strictObject({
    schedule: checkedText('a cron pattern in UTC such as "0 3 * * *", or ""', isCronPattern),
    directory: checkedText('a folder, or an address such as "s3://bucket/taxiway"', isBackupPlace, 'backups'),
    keep: wholeNumber(1, 10_000, 7),
    recipients: z
      .array(z.string().regex(/^age1[a-z0-9]{20,3000}$/))
      .max(20)
      .meta({ expected: 'a list of public keys of age, such as ["age1…"]' })
      .default([]),
    include_secret_key: flag(true),
    warn_after_hours: wholeNumber(1, 100_000, 48),
    s3: backupS3,
  })
  .refine(
    ({ directory, s3: { access_key_id, secret_access_key } }) =>
      !directory.startsWith('s3://') || (access_key_id === '') === (secret_access_key === ''),
    {
      path: ['s3', 'secret_access_key'],
      params: { expected: 'both backup.s3.access_key_id and backup.s3.secret_access_key, or neither' },
    },
  )
  .refine(
    ({ directory, s3: { force_path_style, endpoint } }) =>
      !directory.startsWith('s3://') || force_path_style || !isIpUrl(endpoint),
    {
      path: ['s3', 'force_path_style'],
      params: { expected: PATH_STYLE },
    },
  );

/** The keys of a replica's bucket. Litestream takes no tokens of temporary access keys from a file. */
const replicationS3 = z.strictObject(bucketService).prefault({});

export const replication = z
  .strictObject({
    target: checkedText(
      'a folder, an address such as "s3://bucket/taxiway", or ""',
      (place) => !place.includes('://') || isBucketPlace(place),
    ),
    interval_ms: wholeNumber(100, 600_000, 1000),
    retention_hours: wholeNumber(1, 87_600, 24),
    snapshot_hours: wholeNumber(1, 87_600, 6),
    warn_after_seconds: wholeNumber(1, 1_000_000, 60),
    metrics_address: checkedText(
      'an address of this machine with a port, such as "127.0.0.1:9465"',
      isLoopbackPort,
      '127.0.0.1:9465',
    ),
    program: filePath('file', 'litestream'),
    s3: replicationS3,
  })
  .refine(
    ({ target, s3: { access_key_id, secret_access_key } }) =>
      !target.startsWith('s3://') || (access_key_id === '') === (secret_access_key === ''),
    {
      path: ['s3', 'secret_access_key'],
      params: { expected: 'both replication.s3.access_key_id and replication.s3.secret_access_key, or neither' },
    },
  )
  .refine(
    ({ target, s3: { force_path_style, endpoint } }) =>
      !target.startsWith('s3://') || force_path_style || !isIpUrl(endpoint),
    {
      path: ['s3', 'force_path_style'],
      params: { expected: PATH_STYLE },
    },
  );

/** Others could read the sizes and paths that Litestream shows there. */
function isLoopbackPort(address: string): boolean {
  const [, port = '0'] = /^(?:127\.0\.0\.1|localhost|\[::1\]):(\d{1,5})$/.exec(address) ?? [];
  return Number(port) >= 1 && Number(port) <= 65_535;
}

/** Whether a text is the address of a bucket with an optional prefix. */
function isBucketPlace(place: string): boolean {
  const [, bucket = '', prefix = ''] = /^s3:\/\/([^/]+)\/?(.*)$/.exec(place) ?? [];
  return isBucket(bucket) && isPrefix(prefix);
}

/** Whether a text is a path, or the address of a bucket. */
export function isBackupPlace(place: string): boolean {
  return place !== '' && (!place.includes('://') || isBucketPlace(place));
}

/** Whether a text is a pattern that matches at some time. A single date isn't one, and February 30 never comes. */
function isCronPattern(pattern: string): boolean {
  if (pattern === '') return true;
  try {
    const cron = new Cron(pattern, { paused: true, utcOffset: 0 });
    return cron.getOnce() === null && cron.nextRun(new Date(0)) !== null;
  } catch {
    return false;
  }
}
