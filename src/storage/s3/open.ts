// Opens the bucket of the configuration.
import type { Config } from '../../config.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Keyring } from '../../runtime/signing.ts';
import { openS3Storage, type S3Storage } from './backend.ts';
import { createS3Client } from './client.ts';
import { type CredentialSource, createCredentials } from './credentials.ts';
import { locateConfiguredBucket } from './location.ts';
import { createTransport } from './transport.ts';

export type OpenBucket = { storage: S3Storage; credentials: CredentialSource; close(): void };

/** Opens the bucket. Sends no request. `env` has the credentials of a cloud machine. */
export function openConfiguredBucket(
  options: Config['storage']['s3'],
  { baseUrl, keyring, clock }: { baseUrl: string; keyring: Keyring; clock: Clock },
  env: Readonly<Record<string, string | undefined>> = process.env,
): OpenBucket {
  const { region } = options;
  const transport = createTransport();
  const credentials = createCredentials({
    accessKeyId: options.access_key_id,
    secretAccessKey: options.secret_access_key,
    sessionToken: options.session_token,
    credentialsFile: options.credentials_file,
    region,
    env,
    transport,
  });
  const location = locateConfiguredBucket(options);
  const client = createS3Client({ location, region, credentials, transport });
  const storage = openS3Storage({ client, baseUrl, keyring, clock, proxyDownloads: options.proxy_downloads });
  return { storage, credentials, close: () => transport.close() };
}
