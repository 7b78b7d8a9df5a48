// Listens for the `?` key, which shows the keyboard shortcuts.
import { lazy, Suspense, useEffect, useState } from 'react';
import { withTexts } from '../texts/loading.ts';
import { isTyping } from './typing.ts';

const KeysDialog = lazy(withTexts(async () => ({ default: (await import('./shortcuts-dialog.tsx')).ShortcutsDialog })));

/** Renders nothing until it is opened. */
export function Shortcuts() {
  const [isOpen, setOpen] = useState(false);
  const [wasAsked, setAsked] = useState(false);
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key !== '?' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector('[role="dialog"]') !== null) return;
      event.preventDefault();
      setAsked(true);
      setOpen(true);
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
  if (!wasAsked) return null;
  return (
    <Suspense>
      <KeysDialog isOpen={isOpen} onClose={() => setOpen(false)} />
    </Suspense>
  );
}
