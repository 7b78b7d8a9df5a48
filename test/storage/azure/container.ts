// Containers of a real blob service for tests, each with a storage on it.
import { type AzureStorageOptions, openAzureStorage } from '../../../src/storage/azure/backend.ts';
import { openContainer } from '../../../src/storage/azure/open.ts';
import type { RetryOptions } from '../../../src/storage/s3/client.ts';
import { createTransport, type Transport } from '../../../src/storage/s3/transport.ts';
import type { AzureFront } from '../../support/azure-front.ts';

/** The storage of an organization. */
const PREFIX = '01980000-0000-7000-8000-000000000001/';

export interface TestContainer {
  name: string;
  storage: ReturnType<typeof openAzureStorage>;
  /** Another storage on the same container. */
  open(options?: ContainerOptions): ReturnType<typeof openAzureStorage>;
  close(): void;
}

export type ContainerOptions = Partial<Omit<AzureStorageOptions, 'container'>> & {
  retries?: Partial<RetryOptions>;
  /** Divides all deadlines, for requests that hang. */
  haste?: number;
};

/** Creates an empty container. */
export async function createTestContainer(front: AzureFront, options: ContainerOptions = {}): Promise<TestContainer> {
  const transport = createTransport();
  const name = await front.createContainer();
  const open = (given: ContainerOptions = {}) => {
    const { retries, haste = 1, prefix = PREFIX, ...rest } = { ...options, ...given };
    const access = {
      account: front.account,
      container: name,
      tenantId: front.tenantId,
      clientId: front.clientId,
      credential: { kind: 'secret', secret: front.state.secret } as const,
    };
    const endpoints = { authorityHost: front.url, endpointSuffix: front.url };
    const clock = { now: () => new Date() };
    const hasty: Transport = {
      ...transport,
      send: (request, { silenceMs, totalMs, maxBytes }) =>
        transport.send(request, { silenceMs: silenceMs / haste, totalMs: totalMs / haste, maxBytes }),
    };
    return openAzureStorage({
      container: openContainer(endpoints, access, { transport: hasty, clock, retries }),
      prefix,
      ...rest,
    });
  };
  return { name, storage: open(), open, close: () => transport.close() };
}
