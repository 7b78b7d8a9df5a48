// As much of a browser as signing in through forms takes: cookies by host, redirects, forms with hidden fields.

export interface Page {
  url: string;
  status: number;
  text: string;
}

export interface Browser {
  /** Follows redirects; stops where `until` is in the address. Answers the last page. */
  open(url: string, until?: string): Promise<Page>;
  /** Sends the first form of a page with its own fields and these. */
  submit(page: Page, fields?: Record<string, string>, until?: string): Promise<Page>;
  /** The addresses that were asked for, in order. */
  readonly visited: string[];
  cookie(host: string): string;
}

const MAX_STEPS = 15;
const accept = { accept: 'text/html,application/xhtml+xml' };

const unescapeHtml = (text: string) =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#039;', "'")
    .replaceAll('&#x3D;', '=')
    .replaceAll('&#x2B;', '+')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

function attributesOf(tag: string): Record<string, string> {
  return Object.fromEntries(
    [...tag.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, unescapeHtml(value)]),
  );
}

/** A browser with no cookies yet. */
export function openBrowser(): Browser {
  const jars = new Map<string, Map<string, string>>();
  const visited: string[] = [];

  function keepCookies(host: string, headers: Headers): void {
    const jar = jars.get(host) ?? new Map<string, string>();
    jars.set(host, jar);
    for (const cookie of headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (/max-age=0|01[- ]jan[- ]1970/i.test(cookie)) jar.delete(name);
      else jar.set(name, value);
    }
  }

  function cookie(host: string): string {
    return [...(jars.get(host) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  async function visit(start: string, init: RequestInit, until: string | undefined): Promise<Page> {
    let url = start;
    let request = init;
    for (let step = 0; step < MAX_STEPS; step += 1) {
      visited.push(url);
      const { hostname } = new URL(url);
      const headers = { ...accept, ...request.headers, cookie: cookie(hostname) };
      const response = await fetch(url, { ...request, headers, redirect: 'manual' });
      keepCookies(hostname, response.headers);
      const location = response.headers.get('location');
      if (location === null) return { url, status: response.status, text: await response.text() };
      url = new URL(location, url).href;
      if (until !== undefined && url.includes(until)) return { url, status: response.status, text: '' };
      request = {};
    }
    throw new Error('Too many redirects');
  }

  return {
    visited,
    cookie,
    open: (url, until) => visit(url, {}, until),
    submit({ url, text }, fields = {}, until) {
      const [form = ''] = /<form[\s\S]*?<\/form>/.exec(text) ?? [];
      const { action = url } = attributesOf(/<form[^>]*>/.exec(form)?.[0] ?? '');
      const inputs = [...form.matchAll(/<input[^>]*>/g)].map(([tag]) => attributesOf(tag));
      const values = inputs.flatMap(({ name, value = '' }) => (name === undefined ? [] : [[name, value] as const]));
      const body = new URLSearchParams({ ...Object.fromEntries(values), ...fields });
      const headers = { origin: new URL(url).origin };
      return visit(new URL(action, url).href, { method: 'POST', body, headers }, until);
    },
  };
}

/** Who is signed in to our server with a browser. `base` is any address of the server. */
export async function readSignedIn(
  browser: Browser,
  base: string,
): Promise<{ status: number; email?: string; display_name?: string }> {
  const url = new URL('/api/v1/developers/me', base);
  const response = await fetch(url, { headers: { cookie: browser.cookie(url.hostname) } });
  return { status: response.status, ...((await response.json()) as { email?: string; display_name?: string }) };
}
