// Actions on store connections and publish jobs, with the audit rows of each.
import type { Providers } from '../stores/providers.ts';
import { api } from '../support/harness.ts';
import { addResources } from '../support/resources.ts';
import { type Act, done } from './scenario.ts';

/** The actions. `providers` are the stores that the server of the scenario asks. */
export const storeActs = (providers: () => Providers): Act[] => [
  [
    'connect App Store Connect, register a device with it, rename the connection and delete it',
    [
      'created store_connection',
      'device_registered device',
      'device_registered device',
      'edited store_connection',
      'deleted store_connection',
      'deleted device',
    ],
    async ({ fixture }) => {
      const admin = api(fixture);
      const here = { organization_id: fixture.organization_id };
      const body = { provider: 'app_store_connect', name: 'Our Apple team', ...providers().appleKey() };
      const connection = await done(admin.post('/api/v1/store-connections', body, here));
      const phone = { udid: '00008030-00000000000000A7', name: 'Lab phone' };
      const device = await done(admin.post('/api/v1/devices', phone, here));
      const path = `/api/v1/store-connections/${connection.identifier}`;
      const registration = { store_connection_id: connection.identifier };
      await done(admin.post(`/api/v1/devices/${device.identifier}/register`, registration));
      await done(admin.patch(path, { name: 'Renamed' }));
      await done(admin.delete(path));
      await done(admin.delete(`/api/v1/devices/${device.identifier}`));
    },
  ],
  [
    'request that a build is published',
    ['store_publish_requested store_publish', 'store_publish_failed store_publish'],
    async ({ fixture }) => {
      const resources = await addResources(fixture);
      const project = { organization_id: fixture.organization_id, project_id: fixture.android_project_id };
      const body = { build_id: resources.id('build_id'), store_connection_id: resources.id('store_connection_id') };
      await done(api(fixture).post('/api/v1/publish', body, project));
      await fixture.drain();
    },
  ],
];
