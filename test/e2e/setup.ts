// What all browser tests need once: the web app and the documentation, built before several processes would build them into the same folder.
import { provideDashboard } from '../../scripts/lib/dashboard.ts';
import { provideDocs } from '../../scripts/lib/docs/build.ts';

export async function setup(): Promise<void> {
  await provideDashboard();
  await provideDocs();
}
