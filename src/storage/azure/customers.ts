// Opens the containers of organizations with the cloud of the configuration.
import type { Config } from '../../config.ts';
import type { Db } from '../../data/database.ts';
import type { Clock } from '../../lib/clock.ts';
import { createFederation } from '../../runtime/federation.ts';
import type { Ids } from '../../runtime/ids.ts';
import type { Secrets } from '../../runtime/secrets.ts';
import { createTransport } from '../s3/transport.ts';
import { openAzureStorage } from './backend.ts';
import type { ContainerRow } from './container-store.ts';
import { type CustomerContainers, containerSecretPurpose, createContainers } from './containers.ts';
import { openContainer } from './open.ts';
import type { AzureCredential } from './tokens.ts';

/** Returns the containers of a database. Sends no request. */
export function openCustomerContainers(
  { byosa }: Config,
  db: Db,
  {
    clock,
    ids,
    secrets,
    identityOf,
  }: {
    clock: Clock;
    ids: Ids;
    secrets: Secrets;
    /** What the tenant of an organization trusts: it differs for each, so that no other one can use its application. */
    identityOf(organizationId: string): { issuer: string; subject: string };
  },
): { containers: CustomerContainers; close(): void } {
  const endpoints = { authorityHost: byosa.azure_authority_host, endpointSuffix: byosa.azure_endpoint_suffix };
  const transport = createTransport();
  const federation = createFederation({ db, clock, ids, secrets });

  function credentialOf({ id, secretEncrypted, prefix }: ContainerRow): AzureCredential {
    if (secretEncrypted !== null) {
      return { kind: 'secret', secret: secrets.decrypt(secretEncrypted, containerSecretPurpose(id)) };
    }
    // The prefix has the ID also after the organization was deleted.
    const { issuer, subject } = identityOf(prefix.replace(/\/$/, ''));
    const assert = (audience: string) => federation.assert({ issuer, subject, audience });
    return { kind: 'federation', assert };
  }

  const containers = createContainers({
    client: db.$client,
    clock,
    open(row) {
      const container = openContainer(endpoints, { ...row, credential: credentialOf(row) }, { transport, clock });
      return openAzureStorage({ container, prefix: row.prefix });
    },
  });
  return { containers, close: () => transport.close() };
}
