// Reads the output of vitest's JSON reporter: the number of passed, failed and skipped tests, and the failures.
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { projectDir } from './project.ts';

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
  /** One readable paragraph per failure and per skipped test. */
  failures: string[];
}

interface Report {
  numPassedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[];
  }[];
}

/**
 * Counts a finished run. A file that couldn't be loaded counts as one failure, and so does a run that failed although no test did
 * (an uncaught error, a crash).
 */
export function readReport(file: string, exitCode: number): Counts {
  if (!existsSync(file)) return { passed: 0, failed: 1, skipped: 0, failures: ['vitest wrote no report'] };
  const report: Report = JSON.parse(readFileSync(file, 'utf8'));
  const failures = report.testResults.flatMap((suite) => {
    const place = relative(projectDir, suite.name);
    const failed = suite.assertionResults.filter(({ status }) => status === 'failed');
    if (failed.length === 0 && suite.status === 'failed') return [`${place}\n${indent(suite.message)}`];
    return failed.map((test) => `${place} › ${test.fullName}\n${indent(test.failureMessages.join('\n'))}`);
  });
  if (failures.length === 0 && exitCode !== 0) failures.push('vitest ended badly although no test failed');
  const isSkipped = ({ status }: { status: string }) =>
    status === 'skipped' || status === 'pending' || status === 'todo';
  const skipped = report.testResults.flatMap((suite) =>
    suite.assertionResults
      .filter(isSkipped)
      .map(({ fullName }) => `skipped: ${relative(projectDir, suite.name)} › ${fullName}`),
  );
  return {
    passed: report.numPassedTests,
    failed: failures.length,
    skipped: report.numPendingTests + report.numTodoTests,
    failures: [...failures, ...skipped],
  };
}

function indent(text: string): string {
  const lines = text.split('\n').filter((line) => !line.includes('node_modules'));
  return lines
    .slice(0, 12)
    .map((line) => `    ${line}`)
    .join('\n');
}
