// After a way to another page the focus is on its heading: whoever hears the page is told where they are, and the keyboard
// goes on from there. What a page puts the focus on by itself keeps it.
import { useEffect, useRef } from 'react';

/** What had the focus may get it back first, such as the button that a dialog was opened with. */
const SETTLE_MS = 60;
const POLLING_TIMEOUT_MS = 5000;

/** Moves the focus whenever `path` changes, once the heading is drawn; not for the first page. */
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
      const heading = document.querySelector<HTMLElement>('#content h1');
      if (isTouched || Date.now() > giveUpAt || isTaken()) return stop();
      if (heading === null) return;
      heading.tabIndex = -1;
      heading.focus({ preventScroll: true });
      stop();
    };
    const observer = new MutationObserver(look);
    // Who goes on by keyboard or mouse in the meantime is left alone.
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

/** Whether the focus is in something that is typed in, or in a dialog. */
function isTaken(): boolean {
  const { activeElement } = document;
  if (activeElement === null || activeElement.closest('#content, [role="dialog"]') === null) return false;
  return activeElement.closest('[role="dialog"]') !== null || /^(?:INPUT|TEXTAREA|SELECT)$/.test(activeElement.tagName);
}
