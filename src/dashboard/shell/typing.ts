const TYPED = 'textarea, select, input:not([type="checkbox"], [type="radio"], [type="button"], [type="file"])';

/** Returns whether an element accepts typed text. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches(TYPED));
}
