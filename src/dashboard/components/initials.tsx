// The initials of a person in a circle; people without a picture are told apart by its color.
import { inRem } from './font-size.ts';

/** Number of colors in styles/tokens.css. */
const COLORS = 5;

/** The circle is decorative, because the name is always beside it. The color depends on the person's id. */
export function Initials({ id, name, size = 20 }: { id: string; name: string; size?: number }) {
  const words = name.trim().split(/\s+/);
  const letters = words.length > 1 ? [words[0], words.at(-1)] : [words[0]];
  const initials = letters.map((word) => [...(word ?? '')][0] ?? '').join('');
  // The end of an id is random, while its beginning is a time.
  const color = (Number.parseInt(id.slice(-4), 16) % COLORS) + 1;
  return (
    <span
      className="tw-initials"
      aria-hidden
      style={{
        width: inRem(size),
        height: inRem(size),
        fontSize: inRem(Math.max(9, size * 0.4)),
        color: `var(--person-${color}-text)`,
        background: `var(--person-${color})`,
      }}
    >
      {initials.toUpperCase() || '?'}
    </span>
  );
}
