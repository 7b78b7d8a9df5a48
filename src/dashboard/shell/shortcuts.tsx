// `?`: listens for the key, and shows which keys there are.
import { lazy, Suspense, useEffect, useState } from 'react';

const KeysDialog = lazy(async () => ({ default: (await import('./shortcuts-dialog.tsx')).KeysDialog }));

/** Whether a key goes into something that is typed in. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** Nothing until somebody asks for it. */
export function Keys() {
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
