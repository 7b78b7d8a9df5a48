// The other texts in English, which load with the first page that isn't part of the initial load.
import { account } from './account.ts';
import { audit } from './audit.ts';
import { auth } from './auth.ts';
import { billing } from './billing.ts';
import { builds } from './builds.ts';
import { channels } from './channels.ts';
import { charts, releaseInstalls } from './charts.ts';
import { comparison } from './comparison.ts';
import { devices } from './devices.ts';
import { events } from './events.ts';
import { feedback } from './feedback.ts';
import { feeds } from './feeds.ts';
import { fieldErrors } from './field-errors.ts';
import { packages } from './packages.ts';
import { palette } from './palette.ts';
import { people } from './people.ts';
import { previews } from './previews.ts';
import { projectTokens, sdk } from './sdk.ts';
import { expiring, settings, sso } from './settings.ts';
import { sharing } from './sharing.ts';
import { siblings } from './siblings.ts';
import { storage } from './storage.ts';
import { stores } from './stores.ts';
import { system } from './system.ts';
import { groups, myApps, testers } from './testers.ts';
import { upload } from './upload.ts';
import { webhooks } from './webhooks.ts';

export const lazy = {
  auth,
  builds,
  channels,
  upload,
  people,
  devices,
  billing,
  siblings,
  comparison,
  feedback,
  previews,
  packages,
  palette,
  feeds,
  fieldErrors,
  account,
  webhooks,
  sdk,
  projectTokens,
  charts,
  releaseInstalls,
  audit,
  events,
  storage,
  stores,
  system,
  testers,
  groups,
  myApps,
  settings,
  sso,
  expiring,
  sharing,
};
