// A browser that signs in by email, and the emails that it gets.
import type { Fixture } from '../../src/testing/fixture.ts';
import { type Answer, api, type Json } from './harness.ts';
import { mailsTo } from './mailbox.ts';

/** The settings of a server that sends email, to a mail server that isn't there: emails keep their texts. */
export const SENDS_MAIL = { transport: 'smtp', smtp: { host: 'localhost', port: 9, security: 'none' } } as const;

export interface EmailBrowser {
  /** The cookies that the server has set, by name. */
  cookies: Map<string, string>;
  request(email: string, more?: Json): Promise<Answer<Json>>;
  confirm<Body = Json>(body: Json): Promise<Answer<Body>>;
}

/** Opens a browser without cookies, in a network of its own if an address is given. */
export function openEmailBrowser(fixture: Fixture): EmailBrowser {
  const cookies = new Map<string, string>();
  async function send<Body>(path: string, body: Json): Promise<Answer<Body>> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await api(fixture, null).send<Body>('POST', path, {
      body,
      headers: { 'sec-fetch-site': 'same-origin', ...(cookie === '' ? {} : { cookie }) },
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    return answer;
  }
  return {
    cookies,
    request: (email, more = {}) => send('/api/v1/login/email', { email, ...more }),
    confirm: (body) => send('/api/v1/login/email/confirm', body),
  };
}

/** The code and the token of the newest email with a code, once the queued ones are written. Throws if there is none. */
export async function readCode(fixture: Fixture, email: string): Promise<{ code: string; token: string }> {
  await fixture.app.jobs.drain();
  const text = mailsTo(fixture, email).findLast((mail) => /code$/.test(mail.subject))?.text ?? '';
  const [, accountCode, signInCode] = /account is (\d{6})$|Taxiway is (\d{6})$/m.exec(text) ?? [];
  const code = accountCode ?? signInCode;
  const token = /token=(\S+)/.exec(text)?.[1] ?? '';
  if (code === undefined) throw new Error(`No email with a code was sent to ${email}`);
  return { code, token };
}

/** A code that isn't the given one. */
export const otherCode = (code: string, by = 1) => String((Number(code) + by) % 1_000_000).padStart(6, '0');
