// Toasts: short messages about what happened or failed, with a button that undoes it where the server can restore the earlier state.

export interface Toast {
  id: number;
  message: string;
  isFailure?: boolean;
  /** Restores the earlier state; rejects with the error if it can't. */
  undo?: (() => Promise<unknown>) | undefined;
}

const MAX_SHOWN = 4;

const listeners = new Set<() => void>();
let toasts: readonly Toast[] = [];
let next = 1;

function change(changed: readonly Toast[]): void {
  toasts = changed;
  for (const listener of listeners) listener();
}

/** Shows that an action succeeded. With `undo`, the toast has a button that calls it. */
export function showSuccess(message: string, undo?: () => Promise<unknown>): void {
  change([...toasts, { id: next, message, undo }].slice(-MAX_SHOWN));
  next += 1;
}

/** Shows that an action failed, where no page or dialog can show the error. */
export function showFailure(message: string): void {
  change([...toasts, { id: next, message, isFailure: true }].slice(-MAX_SHOWN));
  next += 1;
}

/** Replaces the message of a toast, which then can't be undone anymore. */
export function replaceToast(id: number, message: string): void {
  change(toasts.map((toast) => (toast.id === id ? { id, message } : toast)));
}

export function closeToast(id: number): void {
  change(toasts.filter((toast) => toast.id !== id));
}

/** Returns the toasts that are shown, the oldest first. */
export function listToasts(): readonly Toast[] {
  return toasts;
}

/** Calls a function whenever the toasts change. Returns a function that stops it. */
export function subscribeToToasts(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
