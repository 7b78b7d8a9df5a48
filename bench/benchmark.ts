// What a benchmark is: one or more rows, each a measured value beside a baseline taken in the same run.

/** One line of the table. Values are texts with their unit; `isMet` is null where a row only informs. */
export interface Row {
  name: string;
  measured: string;
  baseline: string;
  ratio: string;
  goal: string;
  isMet: boolean | null;
  /** How often the row was measured, or what else a reader must know. */
  note?: string;
}

export interface Bench {
  name: string;
  summary: string;
  run(kit: Kit): Promise<Row[]>;
}

/** What every benchmark is given. */
export interface Kit {
  /** An empty folder for this benchmark, removed afterwards. */
  folder: string;
  /** Rounds that each side is measured; the sides take turns. */
  rounds: number;
  /** Starts what must be stopped however the benchmark ends; the last one started stops first. */
  use<T extends { stop(): Promise<void> }>(started: T | Promise<T>): Promise<T>;
  say(text: string): void;
}

/** The middle value; the mean of the two middle ones when their number is even. Throws RangeError for none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  if (upper === undefined || lower === undefined) throw new RangeError('no values to take the median of');
  return (lower + upper) / 2;
}

/**
 * Measures every side once in each round, in turns, so that what the machine does besides falls on all of them. Answers
 * the values of each side, by round.
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

/** A row whose goal is a bound on measured divided by baseline: the median over the rounds of each round's ratio. */
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

/** A row whose goal is a bound on the measured value itself. */
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

/** All rows as one Markdown table. */
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
