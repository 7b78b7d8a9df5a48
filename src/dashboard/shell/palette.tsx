// ⌘K: listens for its keys, and loads the palette when it is first wanted.
import { Suspense, useEffect, useState } from 'react';
import { PaletteDialog } from './lazy-parts.tsx';

const OPENING = 'taxiway:palette';

/** Opens it. */
export function openPalette(): void {
  dispatchEvent(new Event(OPENING));
}

/** Nothing until somebody asks for it. */
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
