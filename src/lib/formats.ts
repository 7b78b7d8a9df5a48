// Sizes and waits as people read them: in the web app, on phone pages and in the terminal.

/** Makes a value once per language. Making a format costs many times what using it does, and a table shows hundreds. */
export function once<Made, Tag extends string = string>(make: (language: Tag) => Made): (language: Tag) => Made {
  const made = new Map<Tag, Made>();
  return (language) => {
    const one = made.get(language) ?? make(language);
    made.set(language, one);
    return one;
  };
}

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

const makeSizes = (digits: Intl.NumberFormatOptions) =>
  UNITS.map((unit) =>
    once((language) => {
      const [unitDisplay, own] = unit === 'byte' ? (['long', {}] as const) : (['short', digits] as const);
      return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay, maximumSignificantDigits: 3, ...own });
    }),
  );
const sizeIn = makeSizes({});
const alignedSizeIn = makeSizes({ minimumSignificantDigits: 3 });

const powerOf = (bytes: number): number =>
  bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));

/** A limit in whole units: limits are powers of two, and 1 MiB is 1 MB to people. Never more than the limit. */
export function formatByteLimit(bytes: number, language: string): string {
  const unit = 1000 ** powerOf(bytes);
  return formatBytes(Math.floor(bytes / unit) * unit, language);
}

/** A size with up to three digits and its unit, such as 12.4 MB or 2 GB; decimal units as phones show them. */
export function formatBytes(bytes: number, language: string): string {
  return formatIn(sizeIn, bytes, language);
}

/** The same for a column of sizes, of which each has three digits, such as 5.60 MB below 5.69 MB. */
export function formatAlignedBytes(bytes: number, language: string): string {
  return formatIn(alignedSizeIn, bytes, language);
}

function formatIn(formats: typeof sizeIn, bytes: number, language: string): string {
  const power = powerOf(bytes);
  return (formats[power] as (language: string) => Intl.NumberFormat)(language).format(bytes / 1000 ** power);
}

const waitIn = once((language) => new Intl.RelativeTimeFormat(language, { numeric: 'always' }));
const MINUTE_SECONDS = 60;
const HOUR_SECONDS = 60 * MINUTE_SECONDS;
const DAY_SECONDS = 24 * HOUR_SECONDS;

/** Formats a wait in whole seconds, minutes, hours or days, rounded up: "in 2 minutes". */
export function formatWait(seconds: number, language: string): string {
  const format = waitIn(language);
  if (seconds < 1.5 * MINUTE_SECONDS) return format.format(Math.ceil(seconds), 'second');
  if (seconds < 1.5 * HOUR_SECONDS) return format.format(Math.ceil(seconds / MINUTE_SECONDS), 'minute');
  if (seconds < 1.5 * DAY_SECONDS) return format.format(Math.ceil(seconds / HOUR_SECONDS), 'hour');
  return format.format(Math.ceil(seconds / DAY_SECONDS), 'day');
}
