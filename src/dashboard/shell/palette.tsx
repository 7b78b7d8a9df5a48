// The command palette (⌘K): listens for the shortcut, and loads the dialog when it is first opened.
import { Suspense, useEffect, useState } from 'react';
import { PaletteDialog } from './lazy-components.tsx';

const OPENING = 'taxiway:palette';

/** Opens the palette. */
export function openPalette(): void {
  dispatchEvent(new Event(OPENING));
}

/** Renders nothing until it is opened. */
export function Palette() {
  const [asked, setAsked] = useState(0);
  useEffect(() => {
    const open = () => setAsked((before) => before + 1);
    const listen = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      open();
    };
    addEventListener(OPENING, open);
    addEventListener('keydown', listen);
    return () => {
      removeEventListener(OPENING, open);
      removeEventListener('keydown', listen);
    };
  }, []);
  if (asked === 0) return null;
  return (
    <Suspense>
      <PaletteDialog asked={asked} />
    </Suspense>
  );
}
