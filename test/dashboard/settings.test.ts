// Pasted certificates, members by domain, and commands.
import { describe, expect, it } from 'vitest';
import { bodylessCommand } from '../../src/dashboard/components/request-command.ts';
import { splitCertificates, splitMembers } from '../../src/dashboard/pages/settings-sso/parse-input.ts';

const pem = (text: string) => `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----`;

describe('certificates', () => {
  it.each([
    ['an empty text', ' \n ', undefined],
    ['one of PEM', `${pem('AA')}\n`, [pem('AA')]],
    ['two of PEM without a gap', `${pem('AA')}\n${pem('BB')}`, [pem('AA'), pem('BB')]],
    ['two of PEM with a gap', `${pem('AA')}\n\n${pem('BB')}\n`, [pem('AA'), pem('BB')]],
    ['bare base64 over lines', 'AAAA\nBBBB', ['AAAA\nBBBB']],
    ['two of bare base64', 'AAAA\r\n\r\nBBBB', ['AAAA', 'BBBB']],
    ['PEM and base64', `${pem('AA')}\nBBBB`, [pem('AA'), 'BBBB']],
    ['text that is no certificate is kept, so that the server rejects it', 'hello', ['hello']],
  ])('are split: %s', (_, text, parts) => {
    expect(splitCertificates(text)).toEqual(parts);
  });
});

describe('members', () => {
  it('are in a verified domain by their email address; subdomains do not count', () => {
    const emails = [
      'dana@example.com',
      'Kit@Example.COM',
      'mo@ci.example.com',
      'guest@example.com.test',
      'x@example.org',
    ];
    const { inside, outside } = splitMembers(
      emails.map((email) => ({ email })),
      ['example.com', 'example.org'],
    );
    expect(inside.map(({ email }) => email)).toEqual(['dana@example.com', 'Kit@Example.COM', 'x@example.org']);
    expect(outside.map(({ email }) => email)).toEqual(['mo@ci.example.com', 'guest@example.com.test']);
  });
});

describe('a command', () => {
  it('without a body names its method unless it is GET', () => {
    const token = '  -H "Authorization: Bearer $TAXIWAY_TOKEN"';
    expect(bodylessCommand('https://a.example/x', 'GET', '/pats/all')).toBe(
      `curl 'https://a.example/x/api/v1/pats/all' \\\n${token}`,
    );
    expect(bodylessCommand('https://a.example', 'DELETE', '/pats/1')).toBe(
      `curl -X DELETE 'https://a.example/api/v1/pats/1' \\\n${token}`,
    );
  });
});
