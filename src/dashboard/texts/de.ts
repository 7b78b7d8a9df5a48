// All texts of the app in German.
import { account } from './de/account.ts';
import { audit } from './de/audit.ts';
import { auth, roles } from './de/auth.ts';
import { charts, releaseInstalls } from './de/charts.ts';
import { common, errors, shell } from './de/common.ts';
import { devices } from './de/devices.ts';
import { events } from './de/events.ts';
import { home } from './de/home.ts';
import { packages } from './de/packages.ts';
import { palette } from './de/palette.ts';
import { people } from './de/people.ts';
import { builds, channels, projects, upload } from './de/projects.ts';
import { releasing } from './de/releasing.ts';
import { projectTokens, sdk } from './de/sdk.ts';
import { expiring, settings, sso } from './de/settings.ts';
import { setup } from './de/setup.ts';
import { sharing } from './de/sharing.ts';
import { siblings } from './de/siblings.ts';
import { system } from './de/system.ts';
import { groups, myApps, testers } from './de/testers.ts';
import { webhooks } from './de/webhooks.ts';
import type { Texts } from './en.ts';

export const de: Texts = {
  common,
  errors,
  shell,
  auth,
  roles,
  home,
  setup,
  projects,
  siblings,
  builds,
  packages,
  channels,
  upload,
  releasing,
  people,
  palette,
  account,
  devices,
  webhooks,
  sdk,
  projectTokens,
  charts,
  releaseInstalls,
  audit,
  events,
  system,
  testers,
  groups,
  myApps,
  settings,
  sso,
  expiring,
  sharing,
};
