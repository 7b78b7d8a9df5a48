// Invitations of an organization, with the tokens of both links.
import { eq } from 'drizzle-orm';
import { expect } from 'vitest';
import { developers } from '../../src/data/tables/tables.ts';
import type { Fixture } from '../../src/testing/fixture.ts';
import type { Json } from '../support/harness.ts';
import { addTeam, type Person } from '../support/people.ts';

export interface Invitation extends Json {
  identifier: string;
  email: string;
  expires_at: string;
  accept_url: string;
  state: string;
  email_state: string | null;
  projects: { project_id: string; role: string }[];
}

export const newAddress = (fixture: Fixture) => `guest-${fixture.app.ids.next()}@guests.example`;
export const tokenOf = (url: string) => url.split('/').at(-1) ?? '';

export function mailedToken({ mail }: Fixture, email: string): string {
  const message = mail.messages.findLast(({ to }) => to === email);
  return /\/invite\/\w+\/([\w-]+)/.exec(message?.text ?? '')?.[1] ?? '';
}

/** Invites an address to the organization, and returns both tokens. */
export async function invite(
  fixture: Fixture,
  { client }: Pick<Person, 'client'>,
  path: string,
  body: { email: string; role: string; projects?: object[] },
) {
  const answer = await client.post<Invitation>(`${path}/invites`, body);
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return { ...answer.body, mailed: mailedToken(fixture, body.email), copied: tokenOf(answer.body.accept_url) };
}

/** A team that invited an address to its organization and its project. */
export async function scene(fixture: Fixture) {
  const team = await addTeam(fixture);
  const email = newAddress(fixture);
  const projects = [{ project_id: team.projectId, role: 'maintainer' }];
  const invitation = await invite(fixture, team.admin, team.organizationPath, { email, role: 'member', projects });
  return { ...team, email, invitation };
}

export function accountOf({ app }: Fixture, email: string) {
  return app.db.select().from(developers).where(eq(developers.email, email)).get();
}
