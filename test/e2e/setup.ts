// What all browser tests need once: the web app, built before several processes would build it into the same folder.
import { provideDashboard } from '../../scripts/lib/dashboard.ts';

export async function setup(): Promise<void> {
  await provideDashboard();
}
