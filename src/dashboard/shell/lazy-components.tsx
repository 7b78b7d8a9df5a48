// Components that the first page doesn't need. They are loaded once the browser is idle, so that they are available
// even if the connection is lost later.
import { type ComponentType, lazy, useEffect, useState } from 'react';
import { completeTexts, withTexts } from '../texts/loading.ts';
import { firstPageDone } from './idle.ts';

const loads = {
  toasts: () => import('./toasts.tsx'),
  organizationMenu: () => import('./organization-menu.tsx'),
  accountMenu: () => import('./account-menu.tsx'),
  menuDrawer: () => import('./menu-drawer.tsx'),
  uploadTray: () => import('../upload/upload-tray.tsx'),
  projectQuestion: () => import('../upload/project-question.tsx'),
  sessionEnd: () => import('./session-expired-dialog.tsx'),
  unsavedInput: () => import('./unsaved-input.tsx'),
  newOrganization: () => import('./new-organization.tsx'),
  pendingInvitations: () => import('../components/pending-invitations.tsx'),
  palette: () => import('./palette-dialog.tsx'),
};

const RETRY_MS = 2000;

/** Loads a component with all texts lazily. Retries until it succeeds, because an error would replace the page. */
function lazyWithRetry<Props>(load: () => Promise<ComponentType<Props>>) {
  return lazyWithInitialTexts(withTexts(load));
}

/** The same for a component that the first page renders: it uses only texts of the initial load. */
function lazyWithInitialTexts<Props>(load: () => Promise<ComponentType<Props>>) {
  const loadWithRetry = (): Promise<ComponentType<Props>> =>
    load().catch(async () => {
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      return loadWithRetry();
    });
  return lazy(async () => ({ default: await loadWithRetry() }));
}

export const Toasts = lazyWithRetry(async () => (await loads.toasts()).Toasts);
export const OrganizationMenu = lazyWithRetry(async () => (await loads.organizationMenu()).OrganizationMenu);
export const AccountMenu = lazyWithRetry(async () => (await loads.accountMenu()).AccountMenu);
export const MenuDrawer = lazyWithRetry(async () => (await loads.menuDrawer()).MenuDrawer);
export const UploadTray = lazyWithRetry(async () => (await loads.uploadTray()).UploadTray);
export const ProjectQuestion = lazyWithRetry(async () => (await loads.projectQuestion()).ProjectQuestion);
export const SessionEnd = lazyWithRetry(async () => (await loads.sessionEnd()).SessionExpiredDialog);
export const UnsavedInput = lazyWithRetry(async () => (await loads.unsavedInput()).UnsavedInput);
export const NewOrganization = lazyWithRetry(async () => (await loads.newOrganization()).NewOrganization);
export const PendingInvitations = lazyWithInitialTexts(
  async () => (await loads.pendingInvitations()).PendingInvitations,
);
export const PaletteDialog = lazyWithRetry(async () => (await loads.palette()).PaletteDialog);

/** Loads the components one after the other. If one fails, it is loaded again when it is rendered. */
export async function preloadLazyParts(): Promise<void> {
  await firstPageDone;
  for (const load of [completeTexts, ...Object.values(loads)]) {
    // Safari doesn't support requestIdleCallback.
    await new Promise((resolve) => (globalThis.requestIdleCallback ?? setTimeout)(resolve));
    await load().catch(() => undefined);
  }
}

/** Returns true once preloading may have started. */
export function useIsIdle(): boolean {
  const [isIdle, setIdle] = useState(false);
  useEffect(() => {
    void firstPageDone.then(() => setIdle(true));
  }, []);
  return isIdle;
}
