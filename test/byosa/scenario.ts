// A server whose organizations can use containers of Azurite.
import type { PartialConfig } from '../../src/config.ts';
import { customerContainers, storageRequests } from '../../src/data/tables/tables.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { type AzureFront, startAzureFront } from '../support/azure-front.ts';
import { startAzurite } from '../support/azurite.ts';
import { api, type Client, type Json } from '../support/harness.ts';

export interface ByosaWorld {
  fixture: Fixture;
  front: AzureFront;
  client: Client;
  container: string;
  /** Paths of the organization. */
  storage: string;
  request: string;
  diagnostics: string;
  /** The body of a request that works, with a client secret. */
  body(more?: Json): Json;
  /** No request, and the initial state of the cloud. */
  reset(): void;
  stop(): Promise<void>;
}

export interface Report {
  success: boolean;
  failure_stage: string | null;
  responsibility: string | null;
  summary: string | null;
  remediation: string[];
  docs_url: string | null;
  failure_detail: string | null;
}

export async function startByosa(more: PartialConfig = {}): Promise<ByosaWorld> {
  const azurite = await startAzurite();
  const front = await startAzureFront(azurite);
  const byosa = { azure_authority_host: front.url, azure_endpoint_suffix: front.url };
  const fixture = await startFixture({ config: { byosa, ...more } });
  const container = await front.createContainer();
  const path = `/api/v1/organizations/${fixture.organization_id}`;
  return {
    fixture,
    front,
    client: api(fixture),
    container,
    storage: `${path}/storage`,
    request: `${path}/byosa/onboarding-request`,
    diagnostics: `${path}/byosa/diagnostics`,
    body: (fields = {}) => ({
      tenant_id: front.tenantId,
      client_id: front.clientId,
      storage_account: front.account,
      container,
      client_secret: front.state.secret,
      ...fields,
    }),
    reset() {
      front.reset();
      fixture.app.db.delete(storageRequests).run();
      fixture.app.db.delete(customerContainers).run();
    },
    async stop() {
      await fixture.stop();
      await front.stop();
      await azurite.stop();
    },
  };
}
