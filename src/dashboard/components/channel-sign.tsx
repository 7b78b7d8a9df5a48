// The sign of a channel: a letter in yellow on black, as on the signs of taxiways.

interface Named {
  identifier: string;
  name: string;
}

/** The sign of all previews of pull requests, whose names differ by their number only. */
export const PREVIEW_SIGN = 'PR';

/**
 * Returns the letter of each channel of a project, by channel id: the first letter of its name that no older channel
 * has. If all are taken, a digit follows the first letter. Previews come and go, so they take no letters. `channels` must be all
 * channels of the project, in any order, with or without those in `previews`.
 */
export function assignSigns(
  channels: readonly Named[],
  previews: ReadonlySet<string> = new Set(),
): ReadonlyMap<string, string> {
  const signs = new Map([...previews].map((id) => [id, PREVIEW_SIGN]));
  const taken = new Set<string>();
  const lasting = channels.filter(({ identifier }) => !previews.has(identifier));
  for (const { identifier, name } of lasting.toSorted((one, other) => (one.identifier < other.identifier ? -1 : 1))) {
    const letters = [...name.toUpperCase()].filter((letter) => /[\p{L}\p{N}]/u.test(letter));
    const first = letters[0] ?? '?';
    const candidates = [first, ...letters, ...Array.from({ length: 8 }, (_, index) => `${first}${index + 2}`)];
    const sign = candidates.find((candidate) => !taken.has(candidate)) ?? first;
    taken.add(sign);
    signs.set(identifier, sign);
  }
  return signs;
}

interface SignProps {
  sign: string;
  /** The channel's name, for a tooltip and screen readers. Left out where the name is beside the sign. */
  name?: string;
  isLarge?: boolean;
  /** Whether the channel has no current release. */
  isOff?: boolean;
}

export function ChannelSign({ sign, name, isLarge = false, isOff = false }: SignProps) {
  return (
    <>
      <span
        className="tw-sign"
        data-large={isLarge || undefined}
        data-off={isOff || undefined}
        title={name}
        aria-hidden
      >
        {sign}
      </span>
      {name !== undefined && <span className="tw-offscreen">{name} </span>}
    </>
  );
}
