// Problems in the configuration.

/** One problem: its source, its key, and the expected value. */
export type ConfigProblem = { source: string; line?: number; key: string; text: string };

/** The configuration is invalid. The message has one line per problem: file, line, key and expected value. */
export class ConfigError extends Error {
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    super(problems.map(formatProblem).join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

function formatProblem({ source, line, key, text }: ConfigProblem): string {
  const place = line === undefined ? source : `${source}:${line}`;
  return key === '' ? `${place}: ${text}` : `${place}: ${key}: ${text}`;
}
