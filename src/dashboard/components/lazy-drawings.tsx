// The drawings of empty lists that the first page doesn't need.
import type { ReactNode } from 'react';
import { type DrawingName, ground } from './drawing-ground.tsx';

const person = (x: number, y: number, key: string, isNew = false) => (
  <g key={key} strokeDasharray={isNew ? '4 4' : undefined}>
    <path className={isNew ? 'line' : 'soft'} d={`M${x - 14} ${y + 34}v-4a14 14 0 0 1 28 0v4z`} />
    <path className="line" d={`M${x - 14} ${y + 34}v-4a14 14 0 0 1 28 0v4`} />
    <circle className={isNew ? 'line' : 'soft'} cx={x} cy={y} r="9" />
    <circle className="line" cx={x} cy={y} r="9" />
  </g>
);

const drawings: Record<Exclude<DrawingName, 'channel'>, ReactNode> = {
  apps: (
    <>
      {ground}
      <rect className="soft" x="58" y="36" width="38" height="38" rx="9" />
      <rect className="line" x="58" y="36" width="38" height="38" rx="9" />
      <rect className="line" x="106" y="36" width="38" height="38" rx="9" strokeDasharray="5 5" />
      <path className="line" d="M125 48v14M118 55h14" />
      <path className="paint" d="M66 66c10 0 9-8 13-14s5-6 9-6" strokeDasharray="6 6" />
    </>
  ),
  calendar: (
    <>
      {ground}
      <rect className="soft" x="68" y="22" width="64" height="60" rx="8" />
      <rect className="line" x="68" y="22" width="64" height="60" rx="8" />
      <path className="line" d="M68 38h64M84 16v12M116 16v12" />
      <path className="paint" d="m88 60 9 9 16-18" />
    </>
  ),
  device: (
    <>
      {ground}
      <rect className="soft" x="76" y="12" width="48" height="76" rx="9" />
      <rect className="line" x="76" y="12" width="48" height="76" rx="9" />
      <path className="line" d="M94 19h12" />
      <path className="paint" d="M86 76c10 0 9-10 14-20s6-18 14-18" strokeDasharray="6 6" />
    </>
  ),
  events: (
    <>
      {ground}
      <path className="paint" d="M66 18v62" strokeDasharray="6 6" />
      <g className="soft">
        <rect x="82" y="18" width="64" height="10" rx="5" />
        <rect x="82" y="43" width="48" height="10" rx="5" />
        <rect x="82" y="68" width="56" height="10" rx="5" />
      </g>
      <g className="line">
        <circle cx="66" cy="23" r="5" fill="var(--bg)" />
        <circle cx="66" cy="48" r="5" fill="var(--bg)" />
        <circle cx="66" cy="73" r="5" fill="var(--bg)" />
      </g>
    </>
  ),
  group: (
    <>
      {ground}
      {person(64, 44, 'left')}
      {person(136, 44, 'right')}
      {person(100, 52, 'new', true)}
      <path className="paint" d="M64 22c10-10 62-10 72 0" strokeDasharray="6 6" />
    </>
  ),
  key: (
    <>
      {ground}
      <circle className="soft" cx="76" cy="54" r="20" />
      <circle className="line" cx="76" cy="54" r="20" />
      <circle className="line" cx="70" cy="54" r="5" />
      <path className="line" d="M95 48h45l8 8-7 7-7-6-7 6-7-6-6 6H95" />
      <path className="paint" d="M104 54h30" strokeDasharray="6 6" />
    </>
  ),
  lock: (
    <>
      {ground}
      <path className="line" d="M84 44V32a16 16 0 0 1 32 0v12" />
      <rect className="soft" x="72" y="44" width="56" height="40" rx="8" />
      <rect className="line" x="72" y="44" width="56" height="40" rx="8" />
      <path className="paint" d="M100 58v12" />
    </>
  ),
  package: (
    <>
      {ground}
      <path className="soft" d="M100 18l32 16v32l-32 18-32-18V34z" />
      <path className="line" d="M100 18l32 16v32l-32 18-32-18V34zM68 34l32 16 32-16M100 50v34" />
      <path className="paint" d="m84 26 32 16v12" strokeDasharray="6 6" />
    </>
  ),
  people: (
    <>
      {ground}
      {person(78, 46, 'one')}
      {person(124, 46, 'new', true)}
      <path className="paint" d="M92 28c8-8 16-8 22-2" strokeDasharray="6 6" />
    </>
  ),
  search: (
    <>
      {ground}
      <g className="soft">
        <rect x="52" y="30" width="60" height="10" rx="5" />
        <rect x="52" y="52" width="44" height="10" rx="5" />
      </g>
      <circle className="line" cx="118" cy="44" r="24" fill="var(--bg)" />
      <path className="line" d="m135 61 14 14" />
      <path className="paint" d="M108 44h20" strokeDasharray="6 6" />
    </>
  ),
  upload: (
    <>
      {ground}
      <rect className="line" x="64" y="20" width="72" height="60" rx="10" strokeDasharray="5 5" />
      <path className="paint" d="M100 68V36M88 47l12-12 12 12" />
    </>
  ),
  webhook: (
    <>
      {ground}
      <rect className="soft" x="36" y="34" width="40" height="34" rx="7" />
      <rect className="line" x="36" y="34" width="40" height="34" rx="7" />
      <path className="line" d="M46 46h20M46 56h12" />
      <path className="paint" d="M82 51h34M110 44l7 7-7 7" />
      <rect className="line" x="124" y="34" width="40" height="34" rx="7" strokeDasharray="5 5" />
    </>
  ),
};

/** The lines of a drawing, without their frame. */
export function LazyDrawing({ name }: { name: Exclude<DrawingName, 'channel'> }) {
  return drawings[name];
}
