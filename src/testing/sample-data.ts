// Creates the sample data of a fixture through the setup link and the API, as a person would.
import { createSetupLink } from '../accounts/setup.ts';
import type { Server } from '../server.ts';
import { sendRequest } from './http.ts';
import type { SampleData } from './types.ts';

const ADMIN_EMAIL = 'admin@example.com';

/** Creates an admin, an organization, two projects, a public channel and a maintainer token. */
export async function createSampleData(server: Server): Promise<SampleData> {
  // Each fixture has its own password, so that no test depends on one.
  const account = { email: ADMIN_EMAIL, password: server.app.secrets.token() };
  const setupPath = new URL(createSetupLink(server.app)).pathname;
  const setup = await post(server, setupPath, {
    ...account,
    display_name: 'Fixture Administrator',
    organization_name: 'Fixture Organization',
  });
  const session = await signInWithoutCaptcha(server, account);
  const send = (path: string, body: unknown) => post(server, path, body, session.access_token);

  const inOrganization = `organization_id=${setup.organization_id}`;
  const ios = await send(`/api/v1/projects?${inOrganization}`, { name: 'Fixture iOS', platform: 'ios' });
  const android = await send(`/api/v1/projects?${inOrganization}`, { name: 'Fixture Android', platform: 'android' });
  const inProject = `${inOrganization}&project_id=${android.identifier}`;
  const channel = await send(`/api/v1/channels?${inProject}`, { name: 'fixture', public: true });
  const token = await send(`/api/v1/project-access-tokens?${inProject}`, { name: 'fixture', role: 'maintainer' });

  return {
    admin: {
      ...account,
      developer_id: setup.developer_id ?? '',
      access_token: session.access_token ?? '',
      refresh_token: session.refresh_token ?? '',
    },
    organization_id: setup.organization_id ?? '',
    ios_project_id: ios.identifier ?? '',
    android_project_id: android.identifier ?? '',
    channel_id: channel.identifier ?? '',
    project_access_token: token.token ?? '',
  };
}

/** The fixture signs in before a configured captcha applies. */
async function signInWithoutCaptcha(server: Server, account: { email: string; password: string }) {
  const { app } = server;
  const { config } = app;
  app.config = { ...config, captcha: { ...config.captcha, provider: 'none' } };
  try {
    return await post(server, '/api/v1/login', account);
  } finally {
    app.config = config;
  }
}

async function post(
  server: Server,
  path: string,
  body: unknown,
  accessToken?: string,
): Promise<Partial<Record<string, string>>> {
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (accessToken !== undefined) headers.authorization = `Bearer ${accessToken}`;
  const sent = { method: 'POST', headers, body: JSON.stringify(body) };
  const { status, text } = await sendRequest(new URL(path, server.url), sent);
  if (status >= 300) throw new Error(`POST ${path.split('?')[0]} answered ${status}: ${text}`);
  return JSON.parse(text);
}
