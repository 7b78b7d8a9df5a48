// Who released a build, and from where: a person, a token, or the server itself.
import { IconBolt, IconKey } from '@tabler/icons-react';
import type { Release } from '../../releases/schema.ts';
import type { Texts } from '../texts/en.ts';
import { useTexts } from '../texts/locale.ts';
import { Initials } from './initials.tsx';

type Words = Texts['channels']['who'];
type Authored = Pick<Release, 'released_by' | 'promoted_from'>;

/** Returns a sentence such as "Ada Lovelace promoted from nightly". */
export function describeAuthor({ released_by: by, promoted_from: from }: Authored, t: Words): string {
  if (by?.kind === 'system') return t.automatic;
  const name = by?.name ?? t.unknown;
  return from === null ? t.released(name) : t.promoted(name, from.name);
}

/** The picture of the author. It is decorative, because the sentence names the author. */
export function AuthorPicture({ release, size }: { release: Release; size: number }) {
  const { released_by: by, created_by: id } = release;
  if (by?.kind === 'developer' && by.name !== null) return <Initials id={id ?? ''} name={by.name} size={size} />;
  const Icon = by?.kind === 'system' ? IconBolt : IconKey;
  return (
    <span className="tw-initials tw-no-person" aria-hidden style={{ width: size, height: size }}>
      <Icon size={size * 0.65} stroke={1.75} />
    </span>
  );
}

export function ReleaseAuthor({ release, size = 20 }: { release: Release; size?: number }) {
  const t = useTexts().channels.who;
  return (
    <span className="tw-author">
      <AuthorPicture release={release} size={size} />
      <span>{describeAuthor(release, t)}</span>
    </span>
  );
}
