// The texts in English that the first page can show. They are part of the initial load, so they are few.
import { auth, roles } from './auth.ts';
import { common, errors, shell } from './common.ts';
import { devices } from './devices.ts';
import { home } from './home.ts';
import { people } from './people.ts';
import { builds, channels, projects, upload } from './projects.ts';
import { releasing } from './releasing.ts';
import { setup } from './setup.ts';

export const first = {
  common,
  errors,
  shell,
  auth,
  roles,
  home,
  setup,
  projects,
  builds,
  channels,
  upload,
  releasing,
  people,
  devices,
};
