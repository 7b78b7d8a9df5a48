// Dialogs that are rendered when they open for the first time.
import { useEffect, useState } from 'react';

/**
 * Returns `isOpen`, but false at the first rendering. The library returns the focus only from dialogs that were closed before, so a
 * dialog that is loaded when it opens would leave the focus nowhere.
 */
export function useOpened(isOpen: boolean): boolean {
  const [isRendered, setRendered] = useState(false);
  useEffect(() => setRendered(true), []);
  return isOpen && isRendered;
}
