// Findings of health checks: ok, warning or failure.
import type { FindingCode } from './finding-codes.ts';

/** Values that clients insert into translated findings. */
export type FindingValues = Record<string, string | number>;

export interface Finding {
  name: string;
  status: 'ok' | 'warn' | 'fail';
  /** The finding in English. */
  detail: string;
  /** Stable: a FindingCode, or name and status of a check that only the command line makes. */
  code: string;
  values: FindingValues;
}

const finding =
  (status: Finding['status']) =>
  (name: string, detail: string, code?: FindingCode, values: FindingValues = {}): Finding => ({
    name,
    status,
    detail,
    code: code ?? `${name.replaceAll(' ', '_')}_${status}`,
    values,
  });

export const ok = finding('ok');
export const warn = finding('warn');
export const fail = finding('fail');
