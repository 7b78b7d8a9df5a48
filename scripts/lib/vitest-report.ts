// Reads the output of vitest's JSON reporter: the number of passed, failed and skipped tests, and the failures.
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { projectDir } from './project.ts';

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
  /** One readable paragraph per failure. */
  failures: string[];
}

interface Report {
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[];
  }[];
}

/**
 * Counts a finished run, or those of its files that `isOurs` chooses by their path in the project. A file that couldn't be loaded counts as one failure, and so does a run that failed although no test did
 * (an uncaught error, a crash).
 */
export function readReport(file: string, exitCode: number, isOurs: (path: string) => boolean = () => true): Counts {
  if (!existsSync(file)) return { passed: 0, failed: 1, skipped: 0, failures: ['vitest wrote no report'] };
  const report: Report = JSON.parse(readFileSync(file, 'utf8'));
  const suites = report.testResults.filter(({ name }) => isOurs(relative(projectDir, name)));
  const failures = suites.flatMap((suite) => {
    const place = relative(projectDir, suite.name);
    const failed = suite.assertionResults.filter(({ status }) => status === 'failed');
    if (failed.length === 0 && suite.status === 'failed') return [`${place}\n${indent(suite.message)}`];
    return failed.map((test) => `${place} › ${test.fullName}\n${indent(test.failureMessages.join('\n'))}`);
  });
  const didFail = report.testResults.some(({ status }) => status === 'failed');
  if (!didFail && exitCode !== 0) failures.push('vitest ended badly although no test failed');
  const statuses = suites.flatMap((suite) => suite.assertionResults.map(({ status }) => status));
  const count = (...wanted: string[]) => statuses.filter((status) => wanted.includes(status)).length;
  return {
    passed: count('passed'),
    failed: failures.length,
    skipped: count('pending', 'skipped', 'todo'),
    failures,
  };
}

function indent(text: string): string {
  const lines = text.split('\n').filter((line) => !line.includes('node_modules'));
  return lines
    .slice(0, 12)
    .map((line) => `    ${line}`)
    .join('\n');
}
