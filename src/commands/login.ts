// taxiway login: signs in and stores the session for the other client commands.
import { Command } from 'commander';
import { Refusal, UsageError } from '../lib/failure.ts';
import * as z from '../lib/zod.ts';
import { type Api, ApiRefusal, createApi } from './client/api.ts';
import { keptTokens, normalizeServerUrl, TokenResponse } from './client/connection.ts';
import { keepSession } from './client/credentials.ts';
import type { CommandHost } from './host.ts';
import { ask, readPassword } from './prompt.ts';

interface LoginOptions {
  url?: string;
  email?: string;
  passwordStdin?: boolean;
  code?: string;
  json?: boolean;
}

const LoginAnswer = z.union([
  TokenResponse,
  z.object({ mfa_required: z.literal(true), mfa_token: z.string(), methods: z.array(z.string()) }),
]);

const Captcha = z.object({ field: z.literal('captcha_token') });
const SingleSignOn = z.object({ reason: z.literal('sso_required') });

const EXAMPLES = `
Examples:
  taxiway login
  taxiway login --url https://builds.example.com --email me@example.com --password-stdin < password.txt

CI jobs don't sign in: set TAXIWAY_URL and TAXIWAY_TOKEN (a project access token).
`;

export function buildLoginCommand(host: CommandHost): Command {
  return new Command('login')
    .description('Signs in to a server and stores the session in credentials.json, readable only by its owner.')
    .option('--url <address>', 'server URL (default: TAXIWAY_URL, otherwise prompts)')
    .option('--email <address>', 'email address of the account (default: prompts)')
    .option('--password-stdin', 'read the password from stdin')
    .option('--code <code>', 'two-factor code from the authenticator app, or a recovery code')
    .option('--json', 'print the session as JSON, without tokens')
    .addHelpText('after', EXAMPLES)
    .action((options: LoginOptions) => login(host, options));
}

async function login(host: CommandHost, options: LoginOptions): Promise<void> {
  const stated = options.url ?? host.env.TAXIWAY_URL;
  const url = normalizeServerUrl(stated ?? (await ask(host, 'Server: ', { otherwise: 'set the server with --url' })));
  warnAboutPlainHttp(host, url);
  const email = options.email ?? (await ask(host, 'Email: ', { otherwise: 'set the account with --email' }));
  const hidden = { isHidden: true, otherwise: 'pass the password with --password-stdin' };
  const password = options.passwordStdin === true ? await readPassword(host) : await ask(host, 'Password: ', hidden);
  const api = createApi(host, url);
  const tokens = await signIn(host, api, { email, password, code: options.code });
  const session = { url, email, ...keptTokens(tokens, host.now()) };
  const file = keepSession(host, session);
  host.say(`Signed in to ${url} as ${email}.\n`);
  if (options.json === true) host.print(`${JSON.stringify({ url, email, credentials_file: file }, null, 2)}\n`);
}

async function signIn(
  host: CommandHost,
  api: Api,
  { email, password, code: given }: { email: string; password: string; code: string | undefined },
): Promise<z.output<typeof TokenResponse>> {
  const answer = await api
    .send({ method: 'POST', path: '/login', body: { email, password } }, LoginAnswer)
    .catch(explainRefusal);
  if ('access_token' in answer) return answer;
  const methods = CODE_METHODS.filter((method) => answer.methods.includes(method));
  const [only] = methods;
  if (only === undefined) throw new Refusal('this account requires a passkey; use an access token in TAXIWAY_TOKEN');
  const otherwise =
    'this account uses two-factor authentication; pass the code with --code, or use an access token in TAXIWAY_TOKEN';
  const code = given?.trim() ?? (await ask(host, questionFor(methods), { otherwise }));
  if (code === '') throw new UsageError('a code is required');
  const method = methods.length === 1 ? only : methodOf(code);
  return api.send(
    { method: 'POST', path: '/login/mfa', body: { mfa_token: answer.mfa_token, method, code } },
    TokenResponse,
  );
}

/** Only a browser can solve the captcha of a server, and only a browser gets to an identity provider. */
function explainRefusal(error: unknown): never {
  if (!(error instanceof ApiRefusal)) throw error;
  const instead = 'create a personal access token in the web app and set TAXIWAY_TOKEN';
  if (Captcha.safeParse(error.details).success)
    throw new Refusal(`this server requires a captcha to sign in; ${instead}`);
  if (SingleSignOn.safeParse(error.details).success)
    throw new Refusal(`your organization requires single sign-on; ${instead}`);
  throw error;
}

const CODE_METHODS = ['totp', 'recovery_code'] as const;
type CodeMethod = (typeof CODE_METHODS)[number];

function questionFor(methods: readonly CodeMethod[]): string {
  if (methods.length > 1) return 'Code of your authenticator, or a recovery code: ';
  return methods[0] === 'totp' ? 'Code of your authenticator: ' : 'Recovery code: ';
}

/** Authenticators show six digits; recovery codes are longer. */
function methodOf(code: string): CodeMethod {
  return /^\d{3}\s?\d{3}$/.test(code) ? 'totp' : 'recovery_code';
}

function warnAboutPlainHttp(host: CommandHost, url: string): void {
  const { protocol, hostname } = new URL(url);
  const isLocal = hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname);
  if (protocol === 'http:' && !isLocal)
    host.say(`Warning: ${url} doesn't use https, so the password is sent unencrypted.\n`);
}
