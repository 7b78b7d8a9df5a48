// What is said when the configuration cannot be used.

/** One thing that is wrong: where it was written, which key, and what was expected there. */
export type ConfigProblem = { source: string; line?: number; key: string; text: string };

/** The configuration cannot be used; the message has one line per problem: file, line, key and what was expected. */
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
