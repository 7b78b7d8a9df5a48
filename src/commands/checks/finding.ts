// What a check found: fine, worth a look, or broken.
export interface Finding {
  name: string;
  status: 'ok' | 'warn' | 'fail';
  detail: string;
}

export const ok = (name: string, detail: string): Finding => ({ name, status: 'ok', detail });
export const warn = (name: string, detail: string): Finding => ({ name, status: 'warn', detail });
export const fail = (name: string, detail: string): Finding => ({ name, status: 'fail', detail });
