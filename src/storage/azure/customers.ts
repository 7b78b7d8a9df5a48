// Opens the containers of organizations with the cloud of the configuration.
import type Sqlite from 'better-sqlite3';
import type { Clock } from '../../lib/clock.ts';
import type { Secrets } from '../../runtime/secrets.ts';
import { createTransport } from '../s3/transport.ts';
import { openAzureStorage } from './backend.ts';
import { hasContainers, type ContainerRow } from './container-store.ts';
import { containerSecretPurpose, createContainers, type CustomerContainers, withoutContainers } from './containers.ts';
import type { AzureEndpoints } from './location.ts';
import { openContainer } from './open.ts';
import type { AzureCredential } from './tokens.ts';

/** Returns the containers of a database. Sends no request. */
export function openCustomerContainers(
  client: Sqlite.Database,
  endpoints: AzureEndpoints,
  {
    clock,
    secrets,
    assert,
  }: {
    clock: Clock;
    secrets: Secrets;
    /** Signs the assertion of an organization's application. */
    assert(container: ContainerRow, audience: string): Promise<string>;
  },
): { containers: CustomerContainers; close(): void } {
  if (!hasContainers(client)) return { containers: withoutContainers, close: () => undefined };
  const transport = createTransport();

  function credentialOf(row: ContainerRow): AzureCredential {
    if (row.secret === null) return { kind: 'federation', assert: (audience) => assert(row, audience) };
    return { kind: 'secret', secret: secrets.decrypt(row.secret, containerSecretPurpose(row.id)) };
  }

  const containers = createContainers({
    client,
    clock,
    open(row) {
      const container = openContainer(endpoints, { ...row, credential: credentialOf(row) }, { transport, clock });
      return openAzureStorage({ container, prefix: row.prefix });
    },
  });
  return { containers, close: () => transport.close() };
}
