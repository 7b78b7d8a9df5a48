// A benchmark: one or more rows, each a measured value and a baseline of the same run.

/** One row of the table. Values are texts with units; `isMet` is null for informative rows. */
export interface Row {
  name: string;
  measured: string;
  baseline: string;
  ratio: string;
  goal: string;
  isMet: boolean | null;
  /** The number of measurements, or other remarks for the reader. */
  note?: string;
}

export interface Bench {
  name: string;
  summary: string;
  run(kit: Kit): Promise<Row[]>;
}

/** The arguments of every benchmark. */
export interface Kit {
  /** An empty folder for this benchmark, deleted afterwards. */
  folder: string;
  /** Number of rounds for each side; the sides take turns. */
  rounds: number;
  /** Registers something to stop when the benchmark ends, even after a failure, in reverse order. */
  use<T extends { stop(): Promise<void> }>(started: T | Promise<T>): Promise<T>;
  say(text: string): void;
}

/** Returns the median; for an even number of values, the mean of the two middle ones. Throws RangeError if empty. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  if (upper === undefined || lower === undefined) throw new RangeError('no values to take the median of');
  return (lower + upper) / 2;
}

/**
 * Measures every side once per round, in turns, so that other load on the machine affects all of them. Returns the values of each
 * side by round.
 */
export async function takeTurns<Side extends string, Value>(
  rounds: number,
  sides: Record<Side, () => Promise<Value>>,
): Promise<Record<Side, Value[]>> {
  const names = Object.keys(sides) as Side[];
  const values = Object.fromEntries(names.map((name) => [name, [] as Value[]])) as Record<Side, Value[]>;
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? names : [...names].reverse();
    for (const name of order) values[name].push(await sides[name]());
  }
  return values;
}

/** Creates a row with a goal for measured divided by baseline: the median of each round's ratio. */
export function ratioRow(row: {
  name: string;
  measured: readonly number[];
  baseline: readonly number[];
  show: (value: number) => string;
  goal: { atMost: number } | { atLeast: number };
  note?: string;
}): Row {
  const ratio = median(row.measured.map((value, round) => value / (row.baseline[round] ?? Number.NaN)));
  const [sign, bound, isMet] =
    'atMost' in row.goal
      ? ['≤', row.goal.atMost, ratio <= row.goal.atMost]
      : ['≥', row.goal.atLeast, ratio >= row.goal.atLeast];
  return {
    name: row.name,
    measured: row.show(median(row.measured)),
    baseline: row.show(median(row.baseline)),
    ratio: ratio.toFixed(2),
    goal: `${sign} ${bound}`,
    isMet,
    ...(row.note === undefined ? {} : { note: row.note }),
  };
}

/** Creates a row with a goal for the measured value itself. */
export function boundRow(row: {
  name: string;
  measured: number;
  baseline?: string;
  below: number;
  unit: string;
  note?: string;
}): Row {
  return {
    name: row.name,
    measured: `${Math.round(row.measured)} ${row.unit}`,
    baseline: row.baseline ?? '',
    ratio: '',
    goal: `< ${row.below} ${row.unit}`,
    isMet: row.measured < row.below,
    ...(row.note === undefined ? {} : { note: row.note }),
  };
}

/** Formats all rows as one Markdown table. */
export function formatTable(rows: readonly Row[]): string {
  const marks = new Map<boolean | null, string>([
    [true, 'yes'],
    [false, 'NO'],
    [null, ''],
  ]);
  const header = ['name', 'measured', 'baseline', 'ratio', 'goal', 'ok'];
  const lines = rows.map((row) => [
    row.note === undefined ? row.name : `${row.name} (${row.note})`,
    row.measured,
    row.baseline,
    row.ratio,
    row.goal,
    marks.get(row.isMet) ?? '',
  ]);
  const all = [header, header.map(() => '---'), ...lines];
  return all.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}
