// A server whose stores are the providers of the test process.
import { expect } from 'vitest';
import { ALL_SCOPES } from '../../src/permissions.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import type { Client, Json } from '../support/harness.ts';
import { personalTokenClient } from '../support/people.ts';
import { type Providers, startProviders } from './providers.ts';

export interface StoreScenario {
  fixture: Fixture;
  providers: Providers;
  admin: Client;
  /** Creates a connection and returns it. */
  connectApple(key?: Json): Promise<Json & { identifier: string }>;
  connectGoogle(account?: Json, body?: Json): Promise<Json & { identifier: string }>;
  stop(): Promise<void>;
}

/** Starts both. `timeoutMs` is the time that a provider has for an answer. */
export async function startStoreScenario(timeoutMs = 30_000): Promise<StoreScenario> {
  const time = { now: () => Date.now() };
  const providers = await startProviders(() => time.now());
  const fixture = await startFixture({
    config: { stores: { ...providers.config.stores, timeout_ms: timeoutMs } },
  });
  time.now = () => fixture.clock.now().getTime();
  // A session would end when the clock moves.
  const admin = personalTokenClient(fixture, {
    organizationId: fixture.organization_id,
    developerId: fixture.admin.developer_id,
    scopes: ALL_SCOPES,
  });
  const here = { organization_id: fixture.organization_id };

  async function create(body: Json) {
    const answer = await admin.post<Json & { identifier: string }>('/api/v1/store-connections', body, here);
    expect(answer.status, answer.text).toBe(201);
    return answer.body;
  }

  return {
    fixture,
    providers,
    admin,
    connectApple: (key = providers.appleKey()) =>
      create({ provider: 'app_store_connect', name: 'Our Apple team', ...key }),
    connectGoogle: (account = providers.serviceAccount(), body = {}) =>
      create({
        provider: 'google_play',
        name: 'Our Play account',
        service_account_json: JSON.stringify(account),
        ...body,
      }),
    async stop() {
      await fixture.stop();
      await providers.stop();
    },
  };
}
