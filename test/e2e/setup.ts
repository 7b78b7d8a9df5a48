// What all browser tests need once: the web app, the documentation and the JavaScript client, built before several processes would build them into the same folder.
import { provideClient } from '../../scripts/lib/client-bundle.ts';
import { provideDashboard } from '../../scripts/lib/dashboard.ts';
import { provideDocs } from '../../scripts/lib/docs/build.ts';

export async function setup(): Promise<void> {
  await provideDashboard();
  await provideDocs();
  await provideClient();
}
