// The picture of someone who did something: the initials of a person, or a symbol for a token or the server itself.
import { IconBolt, IconKey } from '@tabler/icons-react';
import { inRem } from './font-size.ts';
import { Initials } from './initials.tsx';

interface ActorPictureProps {
  kind: string | undefined;
  id: string | null;
  name: string | null;
  size?: number;
}

/** The picture is decorative, because the name is always beside it. */
export function ActorPicture({ kind, id, name, size = 20 }: ActorPictureProps) {
  if (kind === 'developer' && name !== null) return <Initials id={id ?? ''} name={name} size={size} />;
  const Icon = kind === 'system' ? IconBolt : IconKey;
  return (
    <span className="tw-initials tw-no-person" aria-hidden style={{ width: inRem(size), height: inRem(size) }}>
      <Icon size={size * 0.65} stroke={1.75} />
    </span>
  );
}
