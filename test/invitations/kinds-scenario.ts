// Invitations of both kinds: to an organization and to a project.
import { afterAll, beforeAll, expect } from 'vitest';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { api, type Client, type Json } from '../support/harness.ts';
import { addPerson, addTeam, type Person } from '../support/people.ts';

export interface Invitation extends Json {
  identifier: string;
  email: string;
  invited_by: string | null;
  sent_at: string;
  expires_at: string;
  accept_url: string;
}
export type Kind = 'organization' | 'project';

export let fixture: Fixture;
export let anonymous: Client;

export async function staff() {
  const team = await addTeam(fixture);
  return {
    ...team,
    path: { organization: `${team.organizationPath}/invites`, project: `${team.projectPath}/invites` },
    maintainer: team.inRole.maintainer,
    projectAdmin: team.inRole.admin,
  };
}

export const newAddress = () => `guest-${fixture.app.ids.next()}@example.test`;
export const leastRole = { organization: 'member', project: 'read' } as const;

/** The token in the newest mail to an address. */
export function mailedToken(email: string): string {
  const message = fixture.mail.messages.findLast(({ to }) => to === email);
  const token = /\/invite\/(?:organization|project)\/([\w-]+)/.exec(message?.text ?? '')?.[1];
  if (token === undefined) throw new Error(`No invitation was mailed to ${email}`);
  return token;
}

export async function invite(person: Pick<Person, 'client'>, path: string, body: { email: string } & Json) {
  const answer = await person.client.post<Invitation>(path, body);
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return { ...answer.body, token: mailedToken(body.email) };
}

export const accept = (client: Client, kind: Kind, token: string) =>
  client.post(`/api/v1/invites/${kind}/accept`, { invite_token: token });
export const preview = (kind: Kind, token: string) => anonymous.get(`/api/v1/invites/${kind}/${token}/preview`);

/** Someone with an account whom a target invites. */
export async function invited(kind: Kind, role: string = leastRole[kind]) {
  const scene = await staff();
  const guest = await addPerson(fixture);
  const invitation = await invite(scene.admin, scene.path[kind], { email: guest.email, role });
  return { ...scene, guest, invitation, invitePath: `${scene.path[kind]}/${invitation.identifier}` };
}

/** Starts a server for the tests of a file. */
export function useServer(): void {
  beforeAll(async () => {
    fixture = await startFixture();
    anonymous = api(fixture, null);
  });
  afterAll(() => fixture.stop());
}
