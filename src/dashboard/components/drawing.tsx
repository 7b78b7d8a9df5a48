// The drawings of empty lists: lines on the ground of an airfield, with yellow paint and blue edge lights.
import { lazy, Suspense } from 'react';
import type { DrawingName } from './drawing-ground.tsx';

/** Loaded on demand, because only the drawing of channels is for the first page. Without a connection its place stays empty. */
const LazyDrawing = lazy(async () => {
  try {
    return { default: (await import('./lazy-drawings.tsx')).LazyDrawing };
  } catch {
    return { default: () => null };
  }
});

export function Drawing({ name }: { name: DrawingName }) {
  return (
    <svg className="tw-art" viewBox="0 0 200 104" aria-hidden="true">
      {name === 'channel' ? (
        channel
      ) : (
        <Suspense>
          <LazyDrawing name={name} />
        </Suspense>
      )}
    </svg>
  );
}

const channel = (
  <>
    <path className="soft" d="M0 70h92c20 0 26-8 30-18h34c-4 28-22 52-60 52H0z" />
    <path className="line" d="M0 70h92c20 0 26-8 30-18M0 104h96c38 0 56-24 60-52" />
    <path className="paint" d="M6 87h14M32 87h14M58 87h14M84 87h12c10 0 18-4 24-10M128 69l7-10" />
    <g className="light">
      <circle cx="20" cy="64" r="2" />
      <circle cx="50" cy="64" r="2" />
      <circle cx="80" cy="64" r="2" />
      <circle cx="164" cy="60" r="2" />
      <circle cx="156" cy="80" r="2" />
    </g>
    <rect className="line" x="116" y="8" width="44" height="40" rx="10" strokeDasharray="5 5" />
    <path className="line" d="M138 20v16M130 28h16" />
    <path className="line" d="M42 40v24" />
    <rect x="29" y="20" width="26" height="22" rx="4" fill="var(--sign)" />
    <rect x="31.5" y="22.5" width="21" height="17" rx="2" fill="none" stroke="var(--sign-paint)" strokeWidth="1.5" />
    <path d="M38 35.5l4-9 4 9M39.500 32.500h5" fill="none" stroke="var(--sign-paint)" strokeWidth="1.75" />
  </>
);
