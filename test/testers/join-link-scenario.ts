// For each test a channel with join links, and a person who opens them.
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { reachesChannel } from '../../src/channels/audience.ts';
import type { Page } from '../support/harness.ts';
import { addPerson, type Person } from '../support/people.ts';
import { type Channel, startTesterScenario, type TesterScenario } from './scenario.ts';

export interface JoinLink {
  identifier: string;
  state: string;
  joined: number;
  join_url: string;
}

export let scenario: TesterScenario;
export let channel: Channel;
export let person: Person;

export const linksPath = () => `${channel.path}/join-links`;

export async function makeLink(body: Record<string, unknown> = {}, client = scenario.admin): Promise<JoinLink> {
  const answer = await client.post<JoinLink>(linksPath(), body);
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}

export const listed = async () => (await scenario.admin.get<Page<JoinLink>>(linksPath())).body.items;
export const pathOf = ({ join_url: url }: { join_url: string }) =>
  url.replace(scenario.fixture.config.server.base_url, '');

export interface Shown {
  status: number;
  title: string | undefined;
  location: string | null;
  html: string;
  headers: Headers;
}

export async function open(path: string, who?: Person, init: RequestInit = {}): Promise<Shown> {
  const cookie = who === undefined ? {} : { cookie: `svc_access=${who.accessToken}` };
  const headers = { ...cookie, ...(init.headers as Record<string, string>) };
  const response = await fetch(scenario.fixture.url + path, { redirect: 'manual', ...init, headers });
  const html = await response.text();
  const title = /<h1[^>]*>([^<]*)/.exec(html)?.[1];
  return {
    status: response.status,
    title,
    location: response.headers.get('location'),
    html,
    headers: response.headers,
  };
}

export const join = (
  link: { join_url: string },
  who?: Person,
  headers: Record<string, string> = { 'sec-fetch-site': 'same-origin' },
) => open(pathOf(link), who, { method: 'POST', headers });

export const installUrl = () => `${scenario.fixture.config.server.base_url}/install/channels/${channel.id}`;
export const reaches = ({ id }: Person) => reachesChannel(scenario.fixture.app, id, channel.id);
export const DEAD = 'This link no longer works';
export const SIGNED_IN = 'Test Fixture Android';

export const addMember = (role: 'read' | 'read_download' | 'maintainer') =>
  addPerson(scenario.fixture, {
    organizations: { [scenario.fixture.organization_id]: 'member' },
    projects: { [scenario.fixture.android_project_id]: role },
  });

/** Starts a server for the tests of a file, and renews channel and person for each. */
export function useChannel(): void {
  beforeAll(async () => {
    scenario = await startTesterScenario();
  });
  afterAll(() => scenario?.fixture.stop());
  beforeEach(async () => {
    channel = await scenario.makeChannel();
    person = await scenario.person();
  });
}
