// All texts of the app in English. Other languages have the same type, so a missing text is a type error.
import { account } from './en/account.ts';
import { audit } from './en/audit.ts';
import { auth, roles } from './en/auth.ts';
import { charts, releaseInstalls } from './en/charts.ts';
import { common, errors, shell } from './en/common.ts';
import { devices } from './en/devices.ts';
import { events } from './en/events.ts';
import { home } from './en/home.ts';
import { packages } from './en/packages.ts';
import { palette } from './en/palette.ts';
import { people } from './en/people.ts';
import { builds, channels, projects, upload } from './en/projects.ts';
import { releasing } from './en/releasing.ts';
import { projectTokens, sdk } from './en/sdk.ts';
import { expiring, settings, sso } from './en/settings.ts';
import { setup } from './en/setup.ts';
import { sharing } from './en/sharing.ts';
import { siblings } from './en/siblings.ts';
import { system } from './en/system.ts';
import { groups, myApps, testers } from './en/testers.ts';
import { webhooks } from './en/webhooks.ts';

export const en = {
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

export type Texts = typeof en;
