// A server that trusts a test authority for devices, and the enrollment of a phone.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Fixture, FixtureOptions } from '../../src/testing/fixture.ts';
import { type InstallScenario, startInstallScenario } from '../install/scenario.ts';
import type { Client, Json } from '../support/harness.ts';
import {
  type Attributes,
  answerOf,
  attributesOf,
  type Laboratory,
  makeLaboratory,
  readProfile,
  sendAnswer,
} from './phone.ts';

export interface DeviceJson {
  identifier: string;
  organization_id: string;
  udid: string;
  name: string;
  platform: string;
  product: string | null;
  model: string | null;
  os_version: string | null;
  developer_id: string | null;
  registered_at: string;
  enrolled_at: string | null;
}

export interface Link {
  identifier: string;
  token: string;
  url: string;
  created_at: string;
  expires_at: string;
}

export interface DeviceScenario {
  fixture: Fixture;
  /** Its projects, and the way of packages into them. Links start with https. */
  installScenario: InstallScenario;
  laboratory: Laboratory;
  /** The server's own address for a link it gave. */
  reach(link: string): string;
  /** A new enrollment link, made by the administrator unless someone else is given. */
  link(body?: Json, client?: Client): Promise<Link>;
  /** The challenge in a fresh profile of a link. */
  challenge(link: Link): Promise<string>;
  /** Sends what a phone with these attributes answers to a challenge. */
  answer(link: Link, challenge: string, changes?: Attributes): Promise<Response>;
  /** Walks one phone through a link; answers where it is sent on. */
  enroll(link: Link, changes?: Attributes): Promise<string>;
  stop(): Promise<void>;
}

export async function startDeviceScenario(options: FixtureOptions = {}): Promise<DeviceScenario> {
  const laboratory = makeLaboratory();
  const folder = mkdtempSync(join(tmpdir(), 'taxiway-devices-'));
  const file = join(folder, 'authority.pem');
  writeFileSync(file, laboratory.authority.pem);
  const config = {
    ...options.config,
    apple_profile: { trusted_device_ca_file: file, ...options.config?.apple_profile },
  };
  const installScenario = await startInstallScenario({ config });
  const { fixture } = installScenario;
  const reach = (link: string) => link.replace(fixture.config.server.base_url, fixture.url);

  async function challenge(link: Link): Promise<string> {
    const response = await fetch(reach(`${link.url}/profile`));
    expect(response.status).toBe(200);
    return (await readProfile(Buffer.from(await response.arrayBuffer()))).challenge;
  }
  const answer: DeviceScenario['answer'] = (link, asked, changes = {}) =>
    sendAnswer(reach(`${link.url}/callback`), answerOf(laboratory, attributesOf(asked, changes)));

  return {
    fixture,
    installScenario,
    laboratory,
    reach,
    async link(body = {}, client) {
      const by = client ?? (await installScenario.staff());
      const made = await by.post<Link>('/api/v1/devices/enrollments', body, {
        organization_id: fixture.organization_id,
      });
      expect(made.status, made.text).toBe(201);
      return made.body;
    },
    challenge,
    answer,
    async enroll(link, changes) {
      const response = await answer(link, await challenge(link), changes);
      expect(response.status).toBe(301);
      return response.headers.get('location') ?? '';
    },
    async stop() {
      await fixture.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
