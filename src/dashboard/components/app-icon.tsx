// The icon of an app, or its first letter if there is no icon or loading fails.
import { useState } from 'react';
import { inRem } from './font-size.ts';

/** The icon is decorative, because the name is always beside it. */
export function AppIcon({ src, name, size = 40 }: { src: string | null; name: string; size?: number }) {
  const [broken, setBroken] = useState<string | null>(null);
  const measure = { width: inRem(size), height: inRem(size), fontSize: inRem(size * 0.45) };
  if (src !== null && src !== broken) {
    return <img className="tw-icon" src={src} alt="" style={measure} onError={() => setBroken(src)} />;
  }
  return (
    <span className="tw-icon tw-letter" style={measure} aria-hidden>
      {[...name.trim()][0]?.toUpperCase() ?? '?'}
    </span>
  );
}
