// Who uploaded a build: a member, or an access token.
import { IconKey, IconUser } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTexts } from '../texts/locale.ts';
import { Initials } from './initials.tsx';

interface UploaderProps {
  /** Null for an access token. */
  id: string | null;
  /** The member's name; null for a former member, undefined while members are loading. */
  name: string | null | undefined;
  /** Shown below the name. */
  children?: ReactNode;
}

export function Uploader({ id, name, children }: UploaderProps) {
  const t = useTexts().builds;
  const shown = id === null ? t.byToken : name === null ? t.byFormerMember : name;
  return (
    <span className="tw-uploader">
      {id !== null && typeof name === 'string' ? (
        <Initials id={id} name={name} />
      ) : (
        <span className="tw-uploader-icon" data-token={id === null || undefined} aria-hidden>
          {id === null ? <IconKey size={12} stroke={1.75} /> : <IconUser size={12} stroke={1.75} />}
        </span>
      )}
      <span className="tw-uploader-name">
        {/* Keeps its height while the name is loading. */}
        <span className="tw-ellipsis">{shown ?? '\u00a0'}</span>
        {children}
      </span>
    </span>
  );
}
