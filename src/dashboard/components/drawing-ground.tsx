// What all drawings of empty lists but the first share.

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

/** The ground with edge lights on both sides of what stands on it. */
export const ground = (
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
