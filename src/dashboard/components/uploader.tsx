// Who uploaded a build: a person with a picture, or an access token.
import { IconKey, IconUser } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import type { Build } from '../../builds/schema.ts';
import { useTexts } from '../texts/locale.ts';
import { Initials } from './initials.tsx';

interface UploaderProps {
  build: Pick<Build, 'uploaded_by' | 'uploaded_by_developer_id'>;
  /** Shown below the name. */
  children?: ReactNode;
}

const SIZE = 20;

export function Uploader({ build, children }: UploaderProps) {
  const t = useTexts().builds;
  const { uploaded_by: by, uploaded_by_developer_id: id } = build;
  const [broken, setBroken] = useState<string>();
  const isPerson = by?.kind === 'developer';
  const picture = by?.avatar_url ?? undefined;
  return (
    <span className="tw-uploader">
      {isPerson && picture !== undefined && picture !== broken ? (
        <img className="tw-avatar" src={picture} alt="" width={SIZE} height={SIZE} onError={() => setBroken(picture)} />
      ) : isPerson ? (
        <Initials id={id ?? ''} name={by.name} size={SIZE} />
      ) : (
        <span className="tw-uploader-icon" data-token={id === null || undefined} aria-hidden>
          {id === null ? <IconKey size={12} stroke={1.75} /> : <IconUser size={12} stroke={1.75} />}
        </span>
      )}
      <span className="tw-uploader-name">
        <span className="tw-ellipsis" title={isPerson || by === null ? undefined : t.byToken}>
          {by?.name ?? (id === null ? t.byToken : t.byFormerMember)}
        </span>
        {children}
      </span>
    </span>
  );
}
