// The icon of an app, or its first letter where there is none or it cannot be loaded.
import { useState } from 'react';

/** Decorative: the name always stands beside it. */
export function AppIcon({ src, name, size = 40 }: { src: string | null; name: string; size?: number }) {
  const [broken, setBroken] = useState<string | null>(null);
  const measure = { width: size, height: size, fontSize: size * 0.45 };
  if (src !== null && src !== broken) {
    return <img className="tw-icon" src={src} alt="" style={measure} onError={() => setBroken(src)} />;
  }
  return (
    <span className="tw-icon tw-letter" style={measure} aria-hidden>
      {[...name.trim()][0]?.toUpperCase() ?? '?'}
    </span>
  );
}
