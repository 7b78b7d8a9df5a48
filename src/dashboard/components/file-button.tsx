// A button that opens the system's file dialog.
import { Button, type ButtonProps, FileButton as MantineFileButton } from '@mantine/core';
import { useRef } from 'react';

interface FileButtonProps extends Pick<ButtonProps, 'variant' | 'size' | 'loading' | 'disabled' | 'leftSection'> {
  label: string;
  /** The types of the files, as in the `accept` attribute of HTML. */
  accept: string;
  /** Whether several files can be chosen. */
  multiple?: boolean;
  onFiles(files: readonly File[]): void;
}

/** Renders the button. The same file can be chosen again, for example after it was changed. */
export function FileButton({ label, accept, multiple = false, onFiles, ...look }: FileButtonProps) {
  const reset = useRef<() => void>(null);
  return (
    <MantineFileButton
      multiple={multiple}
      accept={accept}
      resetRef={reset}
      inputProps={{ 'aria-label': label }}
      onChange={(chosen: File | File[] | null) => {
        onFiles(chosen === null ? [] : [chosen].flat());
        // The browser reports no change for a file that the field contains already.
        reset.current?.();
      }}
    >
      {(props) => (
        <Button {...props} {...look}>
          {label}
        </Button>
      )}
    </MantineFileButton>
  );
}
