// Opens a customer's container with the names and the credential of its organization.
import type { Clock } from '../../lib/clock.ts';
import type { RetryOptions } from '../s3/client.ts';
import type { Transport } from '../s3/transport.ts';
import { type AzureClient, createAzureClient } from './client.ts';
import { createDelegation, type Delegation } from './delegation.ts';
import { type AzureEndpoints, type ContainerNames, locateContainer, tokenUrlOf } from './location.ts';
import { type AzureCredential, createTokenSource, type TokenSource } from './tokens.ts';

export type ContainerAccess = ContainerNames & {
  readonly tenantId: string;
  readonly clientId: string;
  readonly credential: AzureCredential;
};

export type OpenContainer = {
  readonly client: AzureClient;
  readonly tokens: TokenSource;
  readonly delegation: Delegation;
};

/** Opens a container. Sends no request. The transport can be shared by all containers. */
export function openContainer(
  endpoints: AzureEndpoints,
  access: ContainerAccess,
  {
    transport,
    clock,
    retries,
  }: {
    transport: Pick<Transport, 'send' | 'open'>;
    clock: Pick<Clock, 'now'>;
    retries?: Partial<RetryOptions> | undefined;
  },
): OpenContainer {
  const tokenUrl = tokenUrlOf(endpoints, access.tenantId);
  const { clientId, credential } = access;
  const tokens = createTokenSource({ tokenUrl, clientId, credential, transport, clock, retries });
  const client = createAzureClient({ location: locateContainer(endpoints, access), tokens, transport, clock, retries });
  return { client, tokens, delegation: createDelegation(client) };
}
