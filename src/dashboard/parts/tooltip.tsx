// Words over a button while it is pointed at. What places them is loaded with the first of them, and not missed before.
import { lazy, type ReactElement, Suspense } from 'react';

interface TipProps {
  label: string;
  children: ReactElement;
}

const Placed = lazy(async () => {
  try {
    return { default: (await import('./placed-tooltip.tsx')).PlacedTooltip };
  } catch {
    return { default: ({ children }: TipProps) => children };
  }
});

/** Its child is there at once. */
export function Tip({ label, children }: TipProps) {
  return (
    <Suspense fallback={children}>
      <Placed label={label}>{children}</Placed>
    </Suspense>
  );
}
