// A server with an organization whose packages are in a container, and one without.
import { systemContext } from '../../../src/core/transact.ts';
import { activateContainer } from '../../../src/storage/azure/containers.ts';
import type { Fixture, FixtureOptions } from '../../../src/testing/fixture.ts';
import {
  type Build,
  type BuildScenario,
  type Project,
  startBuildScenario,
  uploadAnswer,
} from '../../builds/scenario.ts';
import type { AzureFront } from '../../support/azure-front.ts';
import { buildApk } from '../../support/fixtures.ts';
import type { Client } from '../../support/harness.ts';

export interface CustomerScenario extends BuildScenario {
  container: string;
  /** A build from before the activation. */
  before: Build;
  /** A project of another organization, whose admin is the same person. */
  second: { client: Client; project: Project };
}

export async function startCustomerScenario(
  front: AzureFront,
  options: FixtureOptions = {},
  /** Runs before the first upload. */
  prepare: (fixture: Fixture) => void = () => undefined,
): Promise<CustomerScenario> {
  const byosa = { azure_authority_host: front.url, azure_endpoint_suffix: front.url };
  const scenario = await startBuildScenario({ ...options, config: { ...options.config, byosa } });
  const { fixture, ci, android, admin } = scenario;
  prepare(fixture);
  const before = await uploadAnswer(ci, android, buildApk());
  const container = await front.createContainer();
  activate(fixture, front, { organizationId: android.organization_id, container });
  const { text: organization_id } = await admin.post('/api/v1/organizations', { name: 'Second' });
  const project = await admin.post('/api/v1/projects', { name: 'Other', platform: 'android' }, { organization_id });
  const second = { client: admin, project: { organization_id, project_id: String(project.body.identifier) } };
  await fixture.drain();
  return { ...scenario, container, before, second };
}

/** Activates a container, as the operator does. */
export function activate(
  fixture: Pick<Fixture, 'app'>,
  front: AzureFront,
  {
    organizationId,
    container,
    secret = front.state.secret,
  }: { organizationId: string; container: string; secret?: string },
): string {
  const { account, tenantId, clientId } = front;
  return systemContext(fixture.app).transact(
    (tx) => activateContainer(tx, { organizationId, account, container, tenantId, clientId, secret }),
    { bookkeeping: true },
  );
}
