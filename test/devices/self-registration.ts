// People with phones at the install page of a channel, who register them there.
import { expect } from 'vitest';
import { buildIpa, sampleDevices } from '../support/fixtures.ts';
import { addPerson, type Person } from '../support/people.ts';
import type { DeviceScenario, Link } from './scenario.ts';

const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';

let phones = 0;

/** An identifier that no device has yet. */
export function newUdid(): string {
  phones += 1;
  return `00008140-${phones.toString(16).toUpperCase().padStart(16, '0')}`;
}

export const profileOf = (...udids: string[]) =>
  buildIpa({ profile: { ProvisionedDevices: [...sampleDevices, ...udids] } });

/** Releases a build with these phones in its profile to a channel, and does what follows from it. */
export async function releaseFor(lab: DeviceScenario, channelId: string, ...udids: string[]): Promise<void> {
  const { installScenario: shelf, fixture } = lab;
  fixture.clock.advance(1000);
  const build = await shelf.addBuild(shelf.ios, profileOf(...udids));
  await shelf.addRelease(shelf.ios, channelId, build.identifier);
  for (let round = 0; round < 5; round += 1) await fixture.drain();
}

export interface Shown {
  status: number;
  title: string | undefined;
  html: string;
  /** Whether it has the button that installs, the one that registers, and the one that asks for a build. */
  buttons: string[];
  headers: Headers;
}

/** The browser of a phone, with its cookies. */
export interface PhoneBrowser {
  udid: string;
  cookies: Map<string, string>;
  open(path: string): Promise<Shown>;
  /** Sends the form of a page. Returns where the server leads. */
  submit(path: string, headers?: Record<string, string>): Promise<Response>;
  /** Taps the button on the page of a channel; returns the enrollment link. */
  start(path: string): Promise<Link>;
  /** Walks through the profile and returns the path of the page that opens then. */
  enroll(link: Link): Promise<string>;
  /** All of it. */
  register(path: string): Promise<string>;
}

/** Opens the browser of a new phone, signed in as a person or as nobody. */
export function openPhone(lab: DeviceScenario, person?: Person, udid = newUdid()): PhoneBrowser {
  const { fixture } = lab;
  const base = fixture.config.server.base_url;
  const cookies = new Map<string, string>(person === undefined ? [] : [['svc_access', person.accessToken]]);
  const send = (path: string, init: RequestInit = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { 'user-agent': IPHONE, cookie, ...(init.headers as Record<string, string>) };
    return fetch(fixture.url + path, { redirect: 'manual', ...init, headers });
  };
  const keepCookies = (response: Response): void => {
    for (const text of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
      cookies.set(name, value);
    }
  };
  const phone: PhoneBrowser = {
    udid,
    cookies,
    async open(path) {
      const response = await send(path);
      const html = await response.text();
      const buttons = [...html.matchAll(/<(?:a|button) class="button[^>]*>([^<]*)/g)].map(([, label = '']) => label);
      const title = /<h1[^>]*>(?:<bdi>)?([^<]*)/.exec(html)?.[1];
      return { status: response.status, title, html, buttons, headers: response.headers };
    },
    submit: (path, headers = { 'sec-fetch-site': 'same-origin' }) => send(path, { method: 'POST', headers }),
    async start(path) {
      const response = await phone.submit(`${path}/register-device`);
      const url = response.headers.get('location') ?? '';
      expect([response.status, url.startsWith(`${base}/public/v1/enroll/`)], url).toEqual([302, true]);
      return { identifier: '', token: url.slice(url.lastIndexOf('/') + 1), url, created_at: '', expires_at: '' };
    },
    async enroll(link) {
      const result = await lab.enroll(link, { UDID: udid });
      const response = await send(result.slice(base.length));
      keepCookies(response);
      expect(response.status).toBe(302);
      return (response.headers.get('location') ?? '').slice(base.length);
    },
    register: async (path) => phone.enroll(await phone.start(path)),
  };
  return phone;
}

/** A person who may install from a channel. */
export async function addTester(lab: DeviceScenario, channelId: string, name?: string): Promise<Person> {
  const { fixture, installScenario } = lab;
  const person = await addPerson(fixture, name === undefined ? {} : { name });
  const staff = await installScenario.staff();
  const query = { ...installScenario.ios, channel_id: channelId };
  const invite = await staff.post<{ invite_token: string }>('/api/v1/channel-invites', {}, query);
  const accepted = await person.client.post('/api/v1/testers/invites/accept', {
    invite_token: invite.body.invite_token,
  });
  expect(accepted.status).toBe(200);
  return person;
}
