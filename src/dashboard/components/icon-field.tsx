// Uploads, replaces or removes an icon.

import { Button, Text } from '@mantine/core';
import { imageTypes } from '../../images/limits.ts';
import { formatByteLimit } from '../../lib/formats.ts';
import { useChange, useRead } from '../api/hooks.ts';
import { useLocale } from '../texts/locale.ts';
import { AppIcon } from './app-icon.tsx';
import { ErrorAlert } from './errors.tsx';
import { FileButton } from './file-button.tsx';
import { Initials } from './initials.tsx';

interface IconFieldProps {
  name: string;
  /** The id of the person whose picture it is; theirs are initials while none is set. */
  personId?: string;
  /** The icon that was set, or null. */
  src: string | null;
  /** The icon that is shown while none is set. */
  inherited?: string | null;
  path: string;
  touches: readonly string[];
}

/** The limits of the server that this field reads. */
interface ServiceLimits {
  limits: { icon_size_bytes?: number };
}

/** Renders the icon with its buttons. */
export function IconField({ name, personId, src, inherited = null, path, touches }: IconFieldProps) {
  const { language, texts } = useLocale();
  const t = texts.settings;
  const service = useRead<ServiceLimits>('/service', { isAnonymous: true });
  const maxBytes = service.data?.limits.icon_size_bytes;
  const set = useChange((api, file: File) => {
    const body = new FormData();
    body.set('file', file);
    return api.send('POST', path, { body });
  }, touches);
  const remove = useChange((api) => api.send('DELETE', path), touches);
  const error = set.error ?? remove.error;
  return (
    <>
      <div className="tw-row tw-wrap">
        {personId !== undefined && src === null ? (
          <Initials id={personId} name={name} size={64} />
        ) : (
          <AppIcon src={src ?? inherited} name={name} size={64} />
        )}
        <FileButton
          label={t.chooseIcon}
          accept={imageTypes.join(',')}
          variant="default"
          size="xs"
          loading={set.isPending}
          onFiles={([file]) => file !== undefined && set.mutate(file)}
        />
        {src !== null && (
          <Button
            variant="subtle"
            color="red"
            size="xs"
            loading={remove.isPending}
            onClick={() => remove.mutate(undefined)}
          >
            {texts.common.remove}
          </Button>
        )}
      </div>
      <Text size="sm" c="dimmed">
        {/* Keeps its height while the limit is loading. */}
        {maxBytes === undefined ? '\u00a0' : t.iconHint(formatByteLimit(maxBytes, language))}
      </Text>
      {error !== null && <ErrorAlert error={error} />}
    </>
  );
}
