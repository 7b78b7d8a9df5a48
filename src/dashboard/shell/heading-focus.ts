// Moves the focus to the heading after navigation, so that screen readers announce the page and keyboard navigation
// continues there. A page that focuses a field keeps that focus.
import { useEffect, useRef } from 'react';

/** Closing dialogs and menus return the focus to their button first. */
const SETTLE_MS = 60;
const POLLING_TIMEOUT_MS = 5000;

/** Moves the focus whenever `path` changes, once the heading is rendered. Does nothing for the first page. */
export function useHeadingFocus(path: string): void {
  const before = useRef(path);
  useEffect(() => {
    if (before.current === path) return;
    before.current = path;
    const giveUpAt = Date.now() + POLLING_TIMEOUT_MS;
    let isTouched = false;
    const touch = () => {
      isTouched = true;
    };
    const look = () => {
      const heading = findHeading();
      if (isTouched || Date.now() > giveUpAt || isTaken()) return stop();
      if (heading === null) return;
      focusHeading(heading);
      stop();
    };
    const observer = new MutationObserver(look);
    // The focus doesn't move if the user is already using keyboard or mouse.
    addEventListener('keydown', touch);
    addEventListener('pointerdown', touch);
    const timer = setTimeout(() => {
      observer.observe(document.body, { childList: true, subtree: true });
      look();
    }, SETTLE_MS);
    function stop(): void {
      clearTimeout(timer);
      observer.disconnect();
      removeEventListener('keydown', touch);
      removeEventListener('pointerdown', touch);
    }
    return stop;
  }, [path]);
}

const findHeading = () => document.querySelector<HTMLElement>('#content h1');

function focusHeading(heading: HTMLElement): void {
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

/** Moves the focus to the heading if it is nowhere after a dialog closed, because what opened the dialog is gone, such as a deleted row. */
export function focusHeadingIfLost(): void {
  focusIfLost(() => undefined);
}

/** Moves the focus to an element if it is nowhere because what had it is gone; to the heading without such an element. */
export function focusIfLost(find: () => HTMLElement | null | undefined): void {
  setTimeout(() => {
    if ((document.activeElement ?? document.body) !== document.body) return;
    const heading = findHeading();
    const element = find();
    if (element?.isConnected) element.focus();
    else if (heading !== null) focusHeading(heading);
  }, SETTLE_MS);
}

/** Returns whether the focus is in a form field or a dialog. */
function isTaken(): boolean {
  const { activeElement } = document;
  if (activeElement === null || activeElement.closest('#content, [role="dialog"]') === null) return false;
  return activeElement.closest('[role="dialog"]') !== null || /^(?:INPUT|TEXTAREA|SELECT)$/.test(activeElement.tagName);
}
