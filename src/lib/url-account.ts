// Addresses with a user name and password, which a request can't have.
import { unescape as decode } from 'node:querystring';

/** Returns a URL without its user name and password, and the Authorization header for them; empty for none (RFC 7617). */
export function withoutAccount(address: string): { url: URL; authorization: string } {
  const url = new URL(address);
  const { username, password } = url;
  url.username = '';
  url.password = '';
  if (username === '' && password === '') return { url, authorization: '' };
  const account = `${decode(username)}:${decode(password)}`;
  return { url, authorization: `Basic ${Buffer.from(account).toString('base64')}` };
}
