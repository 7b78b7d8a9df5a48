// Parts of the frame that the first page does without. They load once it stands and the browser has nothing else to do, so
// that they are there when they are needed, even if the connection is not.
import { type ComponentType, lazy, useEffect, useState } from 'react';

const loads = {
  toasts: () => import('./toasts.tsx'),
  organizationMenu: () => import('./organization-menu.tsx'),
  menuDrawer: () => import('./menu-drawer.tsx'),
  uploadTray: () => import('../upload/upload-tray.tsx'),
  sessionEnd: () => import('./session-end.tsx'),
  newOrganization: () => import('./new-organization.tsx'),
  palette: () => import('./palette-dialog.tsx'),
};

const RETRY_MS = 2000;

/** A part that is not there yet shows nothing; without a connection it waits for one, since throwing would take the page away. */
function later<Props>(load: () => Promise<ComponentType<Props>>) {
  const insist = (): Promise<ComponentType<Props>> =>
    load().catch(async () => {
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      return insist();
    });
  return lazy(async () => ({ default: await insist() }));
}

export const Toasts = later(async () => (await loads.toasts()).Toasts);
export const OrganizationMenu = later(async () => (await loads.organizationMenu()).OrganizationMenu);
export const MenuDrawer = later(async () => (await loads.menuDrawer()).MenuDrawer);
export const UploadTray = later(async () => (await loads.uploadTray()).UploadTray);
export const SessionEnd = later(async () => (await loads.sessionEnd()).SessionEnd);
export const NewOrganization = later(async () => (await loads.newOrganization()).NewOrganization);
export const PaletteDialog = later(async () => (await loads.palette()).PaletteDialog);

/** The first page is drawn and answers before anything else is fetched. */
const REST_MS = 1500;

/** Loads one after the other; what cannot be loaded now is asked for again when it is drawn. */
export async function loadTheRest(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, REST_MS));
  for (const load of Object.values(loads)) {
    // Safari has no such callback.
    await new Promise((resolve) => (globalThis.requestIdleCallback ?? setTimeout)(resolve));
    await load().catch(() => undefined);
  }
}

/** False until everything else was loaded, or could have been. */
export function useIsRested(): boolean {
  const [isRested, setRested] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setRested(true), REST_MS);
    return () => clearTimeout(timer);
  }, []);
  return isRested;
}
