// Random texts for property tests.
import fc from 'fast-check';

/**
 * A character of Unicode other than surrogates, like fast-check's unit `binary`, for which fast-check first lists all 1.1 million
 * of them: seven seconds on a busy machine, in each test process.
 */
const character = fc
  .oneof(
    fc.integer({ min: 0, max: 0x7f }),
    fc.integer({ min: 0x80, max: 0xd7ff }),
    fc.integer({ min: 0xe000, max: 0xffff }),
    fc.integer({ min: 0x10000, max: 0x10ffff }),
  )
  .map((code) => String.fromCodePoint(code));

/** Any text of Unicode, of at most that many characters. */
export function anyText(limits: { minLength?: number; maxLength?: number } = {}): fc.Arbitrary<string> {
  return fc.string({ ...limits, unit: character });
}
