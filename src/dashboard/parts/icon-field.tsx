// Uploads, replaces or removes an icon.
import { Button, FileButton } from '@mantine/core';
import { useChange } from '../api/hooks.ts';
import { useTexts } from '../texts/locale.ts';
import { AppIcon } from './app-icon.tsx';
import { ErrorAlert } from './errors.tsx';

interface IconFieldProps {
  name: string;
  src: string | null;
  path: string;
  touches: readonly string[];
}

/** Renders the icon with its buttons. */
export function IconField({ name, src, path, touches }: IconFieldProps) {
  const texts = useTexts();
  const t = texts.common;
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
        <AppIcon src={src} name={name} size={64} />
        <FileButton
          accept="image/png,image/jpeg,image/webp"
          inputProps={{ 'aria-label': t.chooseIcon }}
          onChange={(file) => file !== null && set.mutate(file)}
        >
          {(props) => (
            <Button {...props} variant="default" size="xs" loading={set.isPending}>
              {t.chooseIcon}
            </Button>
          )}
        </FileButton>
        {src !== null && (
          <Button
            variant="subtle"
            color="red"
            size="xs"
            loading={remove.isPending}
            onClick={() => remove.mutate(undefined)}
          >
            {t.remove}
          </Button>
        )}
      </div>
      {error !== null && <ErrorAlert error={error} />}
    </>
  );
}
