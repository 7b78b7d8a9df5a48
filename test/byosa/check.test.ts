// What "taxiway check" finds about the services that containers of organizations need.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkContainers } from '../../src/checks/containers.ts';
import { systemContext } from '../../src/core/transact.ts';
import { customerContainers } from '../../src/data/tables/tables.ts';
import { activateContainer } from '../../src/storage/azure/containers.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');

describe('the check of containers', () => {
  let fixture: Fixture;
  let service: Server;
  let host: string;
  let skewMs = 0;
  const asked: { method: string; url: string; authorization: string | undefined }[] = [];

  beforeAll(async () => {
    fixture = await startFixture();
    service = createServer(({ method = '', url = '', headers }, response) => {
      asked.push({ method, url, authorization: headers.authorization });
      response.writeHead(400, { date: new Date(NOW + skewMs).toUTCString() }).end();
    });
    await new Promise<void>((done) => service.listen(0, '127.0.0.1', done));
    host = `127.0.0.1:${(service.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    service.closeAllConnections();
    await new Promise((done) => service.close(done));
    await fixture.stop();
  });

  const check = async (address = `http://${host}`) => {
    const byosa = { ...fixture.config.byosa, azure_authority_host: address, azure_endpoint_suffix: address };
    const found = await checkContainers({ byosa }, fixture.app.db.$client, () => NOW);
    return found.map(({ status, name, detail }) => `${status} ${name}: ${detail}`);
  };

  it('asks nothing without a container', async () => {
    expect([await check(), asked]).toEqual([[], []]);
  });

  it('names clocks that differ and services that do not respond, and sends no credentials', async () => {
    const { app, organization_id: organizationId } = fixture;
    const tenantId = app.ids.next();
    const names = { account: 'acmebuilds', container: 'test-builds', tenantId, clientId: app.ids.next() };
    systemContext(app).transact((tx) => activateContainer(tx, { organizationId, ...names, secret: 'very-secret' }), {
      bookkeeping: true,
    });
    expect(await check()).toEqual([`ok containers: ${host} respond, and their clocks agree with this machine's`]);
    expect(asked).toEqual([
      { method: 'HEAD', url: `/${tenantId}/oauth2/v2.0/token`, authorization: undefined },
      { method: 'HEAD', url: '/acmebuilds/', authorization: undefined },
    ]);
    for (const [skew, words] of [
      [3_600_000, '3600 s behind'],
      [-120_000, '120 s ahead of'],
    ] as const) {
      skewMs = skew;
      const line = `fail container clock: the clock of this machine is ${words} that of ${host}`;
      expect(await check()).toEqual([line, line]);
    }
    skewMs = 59_000;
    expect(await check()).toHaveLength(1);
    expect((await check('http://127.0.0.1:1'))[0]).toMatch(
      /^warn containers: 127\.0\.0\.1:1 can't be reached: .*ECONNREFUSED/,
    );
    app.db.delete(customerContainers).run();
  });
});
