// What a check found: fine, worth a look, or broken.
import type { FindingCode } from './finding-codes.ts';

/** Parts of a finding that clients put into their own words. */
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
