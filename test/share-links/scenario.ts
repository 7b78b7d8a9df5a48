// Share links, and browsers that open them and keep their cookies.
import { expect } from 'vitest';
import { type InstallScenario, readManifest } from '../install/scenario.ts';
import type { Client, Json } from '../support/harness.ts';

const ANDROID =
  'Mozilla/5.0 (Linux; Android 14; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36';
export const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';

export interface CreatedLink extends Json {
  identifier: string;
  url: string;
}

export interface Shown {
  status: number;
  title: string | undefined;
  html: string;
  headers: Headers;
  location: string | null;
}

export interface Browser {
  open(url: string): Promise<Shown>;
  enter(url: string, password: string, headers?: Record<string, string>): Promise<Shown>;
  /** The link of the button on a page, on iOS the one in its manifest. */
  button(url: string): Promise<string>;
  cookies: Map<string, string>;
}

/** Creates a link to a channel or build as the administrator, or as another client. */
export async function share(
  scenario: InstallScenario,
  project: { organization_id: string; project_id: string },
  body: Json,
  client?: Client,
): Promise<CreatedLink> {
  const answer = await (client ?? (await scenario.staff())).post<CreatedLink>('/api/v1/share-links', body, {
    ...project,
  });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}

/** A browser of a phone with its own cookies. */
export function browser(scenario: InstallScenario, agent = ANDROID, address?: string): Browser {
  const cookies = new Map<string, string>();
  async function send(url: string, init: RequestInit = {}): Promise<Shown> {
    const headers: Record<string, string> = {
      'user-agent': agent,
      accept: 'text/html',
      ...(init.headers as Record<string, string>),
    };
    if (address !== undefined) headers['x-forwarded-for'] = address;
    if (cookies.size > 0) headers.cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(scenario.reach(url), { redirect: 'manual', ...init, headers });
    for (const cookie of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (cookie.split(';')[0] ?? '').split(/=(.*)/s);
      cookies.set(name, value);
    }
    const html = await response.text();
    const title = /<h1[^>]*>(?:<bdi>)?([^<]*)/.exec(html)?.[1];
    return {
      status: response.status,
      title,
      html,
      headers: response.headers,
      location: response.headers.get('location'),
    };
  }
  return {
    cookies,
    open: (url) => send(url),
    enter: (url, password, headers = { 'sec-fetch-site': 'same-origin' }) =>
      send(url, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: new URLSearchParams({ password }).toString(),
      }),
    async button(url) {
      const page = await send(url);
      const link = (/<a class="button" href="([^"]*)"/.exec(page.html)?.[1] ?? '').replaceAll('&amp;', '&');
      if (!link.startsWith('itms-services:')) return link;
      const manifest = await fetch(scenario.reach(decodeURIComponent(link.split('url=')[1] ?? '')));
      return readManifest(await manifest.text()).package;
    },
  };
}
