// Numbers, sizes and times as people read them.

/** Making one costs many times what using it does, and a table shows hundreds. */
function once<Format>(make: (language: string) => Format): (language: string) => Format {
  const made = new Map<string, Format>();
  return (language) => {
    const format = made.get(language) ?? make(language);
    made.set(language, format);
    return format;
  };
}

const relativeIn = once((language) => new Intl.RelativeTimeFormat(language, { numeric: 'auto' }));
const exactIn = once((language) => new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'long' }));
const dayIn = once((language) => new Intl.DateTimeFormat(language, { dateStyle: 'medium' }));

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

const sizes = (unitDisplay: 'long' | 'short', maximumFractionDigits: number) =>
  once((wanted) => {
    const [language, power] = wanted.split(' ');
    const unit = UNITS[Number(power)] ?? 'byte';
    return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay, maximumFractionDigits });
  });
const sizeIn = { whole: sizes('long', 0), large: sizes('short', 0), small: sizes('short', 1) };

/** A size with its unit, such as 12.4 MB; decimal units as phones show them. */
export function formatBytes(bytes: number, language: string): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return sizeIn[power === 0 ? 'whole' : value >= 100 ? 'large' : 'small'](`${language} ${power}`).format(value);
}

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_556_952],
  ['month', 2_629_746],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** A moment in relation to now, such as "3 hours ago". */
export function formatRelative(moment: number, now: number, language: string): string {
  const seconds = (moment - now) / 1000;
  const format = relativeIn(language);
  for (const [unit, size] of STEPS) {
    if (Math.abs(seconds) >= size) return format.format(Math.trunc(seconds / size), unit);
  }
  return format.format(0, 'second');
}

/** A moment exactly, in the reader's time zone. */
export function formatExact(moment: number, language: string): string {
  return exactIn(language).format(moment);
}

/** A day. */
export function formatDay(moment: number, language: string): string {
  return dayIn(language).format(moment);
}

/** How long something takes, from seconds, roughly. */
export function formatDuration(seconds: number, language: string): string {
  const [unit, value] =
    seconds >= 3600
      ? (['hour', seconds / 3600] as const)
      : seconds >= 60
        ? (['minute', seconds / 60] as const)
        : (['second', seconds] as const);
  return new Intl.NumberFormat(language, {
    style: 'unit',
    unit,
    unitDisplay: 'short',
    maximumFractionDigits: 0,
  }).format(Math.max(1, Math.round(value)));
}
