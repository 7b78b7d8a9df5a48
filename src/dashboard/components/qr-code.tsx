// A QR code, dark on white in both color schemes so that every camera can read it. Its library is loaded when it is
// first needed.
import { Skeleton } from '@mantine/core';
import { useEffect, useState } from 'react';
import { inRem } from './font-size.ts';

const QUIET_ZONE = 4;

interface Drawing {
  side: number;
  path: string;
}

async function draw(text: string): Promise<Drawing> {
  const { create } = await import('./qr-modules.ts');
  const { size, isDark } = create(text);
  let path = '';
  for (let row = 0; row < size; row += 1) {
    for (let column = 0; column < size; column += 1) {
      if (isDark(row, column)) path += `M${column + QUIET_ZONE} ${row + QUIET_ZONE}h1v1h-1z`;
    }
  }
  return { side: size + 2 * QUIET_ZONE, path };
}

/** Renders the code. `label` describes its target. */
export function QrCode({ text, label, size = 160 }: { text: string; label: string; size?: number }) {
  const [drawing, setDrawing] = useState<Drawing>();
  useEffect(() => {
    let isWanted = true;
    void draw(text).then((drawn) => {
      if (isWanted) setDrawing(drawn);
    });
    return () => {
      isWanted = false;
    };
  }, [text]);
  if (drawing === undefined) return <Skeleton width={size} height={size} />;
  return (
    <svg
      className="tw-qr"
      width={inRem(size)}
      height={inRem(size)}
      viewBox={`0 0 ${drawing.side} ${drawing.side}`}
      shapeRendering="crispEdges"
      role="img"
      aria-label={label}
    >
      <path fill="#fff" d={`M0 0h${drawing.side}v${drawing.side}H0z`} />
      <path fill="#000" d={drawing.path} />
    </svg>
  );
}
