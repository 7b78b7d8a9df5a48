// The drawings of empty lists: lines on the ground of an airfield, with yellow paint and blue edge lights.
import type { ReactNode } from 'react';

export type DrawingName =
  | 'apps'
  | 'calendar'
  | 'channel'
  | 'device'
  | 'events'
  | 'group'
  | 'key'
  | 'lock'
  | 'package'
  | 'people'
  | 'search'
  | 'upload'
  | 'webhook';

export function Drawing({ name }: { name: DrawingName }) {
  return (
    <svg className="tw-art" viewBox="0 0 200 104" aria-hidden="true">
      {drawings[name]}
    </svg>
  );
}

/** The ground with edge lights on both sides of what stands on it. */
const ground = (
  <>
    <path className="line" d="M20 92h160" />
    <g className="light">
      <circle cx="36" cy="92" r="2.500" />
      <circle cx="54" cy="92" r="2.500" />
      <circle cx="146" cy="92" r="2.500" />
      <circle cx="164" cy="92" r="2.500" />
    </g>
  </>
);

const person = (x: number, y: number, key: string, isNew = false) => (
  <g key={key} strokeDasharray={isNew ? '4 4' : undefined}>
    <path className={isNew ? 'line' : 'soft'} d={`M${x - 14} ${y + 34}v-4a14 14 0 0 1 28 0v4z`} />
    <path className="line" d={`M${x - 14} ${y + 34}v-4a14 14 0 0 1 28 0v4`} />
    <circle className={isNew ? 'line' : 'soft'} cx={x} cy={y} r="9" />
    <circle className="line" cx={x} cy={y} r="9" />
  </g>
);

const drawings: Record<DrawingName, ReactNode> = {
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
  channel: (
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
