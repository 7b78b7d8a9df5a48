// Every text of the app in English. The other languages have the same shape, so a missing text fails the type check.
import { account } from './en/account.ts';
import { audit } from './en/audit.ts';
import { charts, takers } from './en/charts.ts';
import { common, problems, shell } from './en/common.ts';
import { devices } from './en/devices.ts';
import { entry, roles } from './en/entry.ts';
import { palette } from './en/palette.ts';
import { people } from './en/people.ts';
import { releasing } from './en/releasing.ts';
import { projectTokens, sdk } from './en/sdk.ts';
import { expiring, settings, sso } from './en/settings.ts';
import { system } from './en/system.ts';
import { groups, myApps, testers } from './en/testers.ts';
import { webhooks } from './en/webhooks.ts';
import { builds, channels, projects, upload } from './en/work.ts';

export const en = {
  common,
  problems,
  shell,
  entry,
  roles,
  projects,
  builds,
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
  takers,
  audit,
  system,
  testers,
  groups,
  myApps,
  settings,
  sso,
  expiring,
};

export type Texts = typeof en;
