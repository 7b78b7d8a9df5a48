// How the server reaches the container of a request, and who it is there.
import type { App } from '../core/context.ts';
import { definePart } from '../core/parts.ts';
import { createKeyedConcurrencyLimit } from '../lib/concurrency-limit.ts';
import { createFederation, type Federation } from '../runtime/federation.ts';
import { tooManyRequests } from '../runtime/rate-limits.ts';
import type { ContainerRow } from '../storage/azure/container-store.ts';
import { containerSecretPurpose } from '../storage/azure/containers.ts';
import { type AzureEndpoints, tokenUrlOf } from '../storage/azure/location.ts';
import { type ContainerAccess, type OpenContainer, openContainer } from '../storage/azure/open.ts';
import { type AzureCredential, audienceOf } from '../storage/azure/tokens.ts';
import { createTransport, type Transport } from '../storage/s3/transport.ts';
import type { RequestRow } from './store.ts';

interface Cloud {
  transport: Transport;
  federation: Federation;
  /** Runs one validation of an organization at a time. Rejects with `rate_limit_exceeded` while one is running. */
  once<T>(organizationId: string, work: () => Promise<T>): Promise<T>;
}

const BUSY_MS = 5_000;

export const cloudOf = definePart<Cloud>({
  open: (app) => ({
    transport: createTransport(),
    federation: createFederation(app),
    once: createKeyedConcurrencyLimit({
      max: 1,
      maxWaiting: 0,
      refusal: () => tooManyRequests(BUSY_MS, 'A check of this container is running'),
    }),
  }),
  close: ({ transport }) => transport.close(),
});

/** A validation is repeated by its caller, and a job has a minute. */
const RETRIES = { attempts: 2, pauseMs: 300, budgetMs: 3_000 };
/** Path of the issuer below base_url. */
export const FEDERATION_PATH = '/public/v1/federation';

type Configured = Pick<App, 'config'>;

export function endpointsOf({ config: { byosa } }: Configured): AzureEndpoints {
  return { authorityHost: byosa.azure_authority_host, endpointSuffix: byosa.azure_endpoint_suffix };
}

/** What the application of an organization must trust. The subject keeps organizations apart that name the same application. */
export function identityOf(app: Configured, organizationId: string) {
  const anyTenant = tokenUrlOf(endpointsOf(app), organizationId);
  return {
    issuer: `${app.config.server.base_url}${FEDERATION_PATH}`,
    subject: `organization:${organizationId}`,
    audience: audienceOf(anyTenant),
  };
}

/** What a client secret is encrypted for. */
export const secretPurpose = (organizationId: string): string => `byosa secret ${organizationId}`;

/** Returns the client secret of a request; null with federation. */
export function readSecret(ctx: Pick<App, 'secrets'>, row: RequestRow): string | null {
  const { organizationId, clientSecretEncrypted: sealed } = row;
  return sealed === null ? null : ctx.secrets.decrypt(sealed, secretPurpose(organizationId));
}

/** Opens the container of a request. Sends no request. */
export function openRequested(ctx: App, row: RequestRow): OpenContainer {
  return open(ctx, row.organizationId, row, readSecret(ctx, row));
}

/** Opens the active container of an organization. Sends no request. */
export function openActive(ctx: App, organizationId: string, row: ContainerRow): OpenContainer {
  const secret =
    row.secretEncrypted === null ? null : ctx.secrets.decrypt(row.secretEncrypted, containerSecretPurpose(row.id));
  return open(ctx, organizationId, row, secret);
}

function open(
  ctx: App,
  organizationId: string,
  connection: Omit<ContainerAccess, 'credential'>,
  secret: string | null,
): OpenContainer {
  const { transport, federation } = cloudOf(ctx);
  const { issuer, subject } = identityOf(ctx, organizationId);
  const credential: AzureCredential =
    secret === null
      ? { kind: 'federation', assert: (audience) => federation.assert({ issuer, subject, audience }) }
      : { kind: 'secret', secret };
  const { clock } = ctx;
  return openContainer(endpointsOf(ctx), { ...connection, credential }, { transport, clock, retries: RETRIES });
}
