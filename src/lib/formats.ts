// Sizes as people read them: in the web app, on phone pages and in the terminal.

/** Making one costs many times what using it does, and a table shows hundreds. */
export function once<Format>(make: (language: string) => Format): (language: string) => Format {
  const made = new Map<string, Format>();
  return (language) => {
    const format = made.get(language) ?? make(language);
    made.set(language, format);
    return format;
  };
}

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

const formatsOf = (minimumSignificantDigits: number) =>
  UNITS.map((unit) =>
    once((language) => {
      const unitDisplay = unit === 'byte' ? 'long' : 'short';
      const digits = { minimumSignificantDigits, maximumSignificantDigits: 3 };
      return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay, ...digits });
    }),
  );
const wholeIn = formatsOf(1);
const measuredIn = formatsOf(3);

const powerOf = (bytes: number): number =>
  bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));

/** A limit in whole units: limits are powers of two, and 1 MiB is 1 MB to people. Never more than the limit. */
export function formatByteLimit(bytes: number, language: string): string {
  const unit = 1000 ** powerOf(bytes);
  return formatBytes(Math.floor(bytes / unit) * unit, language);
}

/** A size with three digits and its unit, such as 12.4 or 5.60 MB; whole numbers as they are. Decimal units as phones show them. */
export function formatBytes(bytes: number, language: string): string {
  const power = powerOf(bytes);
  const size = bytes / 1000 ** power;
  const format = (Number.isInteger(size) ? wholeIn : measuredIn)[power];
  return (format as (language: string) => Intl.NumberFormat)(language).format(size);
}
