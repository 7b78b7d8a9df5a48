// Dialogs that are rendered when they open for the first time, and what is closed before a response arrives.
import { type RefObject, useEffect, useRef, useState } from 'react';

/**
 * Returns `isOpen`, but false at the first rendering. The library returns the focus only from dialogs that were closed before, so a
 * dialog that is loaded when it opens would leave the focus nowhere.
 */
export function useOpened(isOpen: boolean): boolean {
  const [isRendered, setRendered] = useState(false);
  useEffect(() => setRendered(true), []);
  return isOpen && isRendered;
}

/** Returns whether the component is still on the page, for code that waited. */
export function useIsShown(): Readonly<RefObject<boolean>> {
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return isShown;
}
