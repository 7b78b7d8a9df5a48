// A tooltip. The code that positions it is loaded with the first one, but after the first page.
import { lazy, type ReactElement, Suspense } from 'react';
import { firstPageDone } from '../shell/idle.ts';

interface TipProps {
  label: string;
  children: ReactElement;
}

const Placed = lazy(async () => {
  await firstPageDone;
  try {
    return { default: (await import('./placed-tooltip.tsx')).PlacedTooltip };
  } catch {
    return { default: ({ children }: TipProps) => children };
  }
});

/** Renders its child immediately, and the tooltip once the code is loaded. */
export function LazyTooltip({ label, children }: TipProps) {
  return (
    <Suspense fallback={children}>
      <Placed label={label}>{children}</Placed>
    </Suspense>
  );
}
