// Who released a build, and from where: a person, a token, or the server itself.
import type { Release } from '../../releases/schema.ts';
import type { Texts } from '../texts/en.ts';
import { useTexts } from '../texts/locale.ts';
import { ActorPicture } from './actor-picture.tsx';

type Words = Texts['releasing']['who'];
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
  return <ActorPicture kind={by?.kind} id={id} name={by?.name ?? null} size={size} />;
}

export function ReleaseAuthor({ release, size = 20 }: { release: Release; size?: number }) {
  const t = useTexts().releasing.who;
  return (
    <span className="tw-author">
      <AuthorPicture release={release} size={size} />
      <span>{describeAuthor(release, t)}</span>
    </span>
  );
}
