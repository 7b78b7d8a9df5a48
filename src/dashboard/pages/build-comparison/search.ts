// The other build of a comparison in the address of its page.

/** Returns the id of the build to compare with; nothing for anything else. */
export function readComparison({ with: other }: Record<string, unknown>): { with?: string } {
  return typeof other === 'string' && /^[0-9a-f-]{36}$/i.test(other) ? { with: other.toLowerCase() } : {};
}
