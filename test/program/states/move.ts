// What a row of docs/specification/states.md is shown by: the thing moves, and it stays where it is while the condition is not met.
import { eq } from 'drizzle-orm';
import { organizations } from '../../../src/data/tables/tables.ts';
import { api, type Client } from '../../support/harness.ts';
import { addProject, type Person, signInPerson } from '../../support/people.ts';
import type { TesterScenario } from '../../testers/scenario.ts';

type Play<Scenario> = (scenario: Scenario) => Promise<void>;

/** How a row is shown: the move under each of its titles, and what keeps the thing in its state. */
interface Shown<Scenario> {
  moves: Record<string, Play<Scenario>>;
  stays: Record<string, Play<Scenario>>;
}

/** By the names of the rows. */
export type Shows<Scenario = TesterScenario> = Record<string, Shown<Scenario>>;

/** A person's client with a new access token, after the clock has moved. */
export async function clientNow({ fixture }: TesterScenario, person: Pick<Person, 'id' | 'email'>): Promise<Client> {
  return api(fixture, await signInPerson(fixture, person));
}

/** A new Android project of the organization, so that nothing else is counted in it. */
export async function makeProject(scenario: TesterScenario) {
  const { organization_id } = scenario.inOrganization;
  const name = `Project ${scenario.fixture.app.ids.next()}`;
  return {
    organization_id,
    project_id: await addProject(scenario.admin, organization_id, { name, platform: 'android' }),
  };
}

/** Does something while the organization is locked for a reason. */
export async function whileLocked<T>(
  { fixture }: TesterScenario,
  lockReason: 'suspended' | 'awaiting_payment' | 'grace',
  work: () => Promise<T>,
): Promise<T> {
  const setLock = (value: typeof lockReason | null) =>
    fixture.app.db
      .update(organizations)
      .set({ lockReason: value })
      .where(eq(organizations.id, fixture.organization_id))
      .run();
  setLock(lockReason);
  try {
    return await work();
  } finally {
    setLock(null);
  }
}
