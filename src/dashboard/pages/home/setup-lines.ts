// The lines that set up a server, with its own values.
import { isLoopbackUrl } from '../../../lib/url-host.ts';
import type { SetupState } from '../../../overviews/setup-schema.ts';

type Server = NonNullable<SetupState['server']>;

/** A name for examples, where the server's own isn't known. */
const EXAMPLE = 'builds.example.com';
const EXAMPLE_ADDRESS = '192.168.1.20';
const SECURE_PORT = 8443;

/** Returns the base URL that phones can probably reach. */
function reachableUrl({ base_url: baseUrl, suggested_base_url: suggested, port }: Server): URL {
  const url = new URL(suggested ?? baseUrl);
  return isLoopbackUrl(url.href) ? new URL(`http://${EXAMPLE_ADDRESS}:${port}`) : url;
}

/** Returns the lines for an address in the network. */
export function addressLines(server: Server): string {
  return ['[server]', 'host = "0.0.0.0"', `base_url = "${trim(reachableUrl(server))}"`].join('\n');
}

/** Whether an authority that phones trust can certify the host: it is a name of the internet. */
function isPublicName(host: string): boolean {
  return /^(?=.*[a-z])[a-z\d-]+(?:\.[a-z\d-]+)+$/i.test(host) && !/\.(?:local|lan|internal|home\.arpa)$/i.test(host);
}

/** Returns the lines for https, and the address where phones trust the server's own authority if they must. */
export function httpsLines(server: Server): { lines: string; trustUrl: string | undefined } {
  const url = reachableUrl(server);
  const { hostname: host, pathname } = url;
  const path = trim(pathname);
  if (isPublicName(host)) {
    const lines = [
      '[server]',
      'host = "::"',
      'port = 443',
      `base_url = "https://${host}${path}"`,
      '',
      '[server.tls]',
      'mode = "acme"',
      `acme_domains = ["${host}"]`,
      'http_port = 80',
    ];
    return { lines: lines.join('\n'), trustUrl: undefined };
  }
  const baseUrl = `https://${host}:${SECURE_PORT}${path}`;
  const lines = [
    '[server]',
    'host = "0.0.0.0"',
    `port = ${SECURE_PORT}`,
    `base_url = "${baseUrl}"`,
    '',
    '[server.tls]',
    'mode = "internal"',
  ];
  return { lines: lines.join('\n'), trustUrl: `${baseUrl}/trust` };
}

/** Returns the lines for email. The mail server is an example. */
export function emailLines(server: Server): string {
  const { hostname } = reachableUrl(server);
  const host = isPublicName(hostname) ? hostname : EXAMPLE;
  return [
    '[mail]',
    'transport = "smtp"',
    `from = "Taxiway <taxiway@${host}>"`,
    '',
    '[mail.smtp]',
    'host = "smtp.example.com"',
    'port = 587',
    'username = "taxiway"',
    'password = { env = "SMTP_PASSWORD" }',
  ].join('\n');
}

/** Returns the lines for backups. The folder is an example. */
export function backupLines(): string {
  return ['[backup]', 'schedule = "0 3 * * *"', 'directory = "/mnt/backups/taxiway"'].join('\n');
}

function trim(address: URL | string): string {
  return String(address).replace(/\/+$/, '');
}
