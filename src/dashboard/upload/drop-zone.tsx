// Uploads of a project: files dropped on the page, and an upload button.

import { Button, FileButton } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { useRef } from 'react';
import { platformFacts } from '../../platforms.ts';
import type { Project } from '../../projects/schema.ts';
import { mayInProject } from '../shell/current-user.ts';
import { useTexts } from '../texts/locale.ts';
import { useFileDrop } from './file-drop.ts';
import { useUploads } from './upload-context.tsx';

/** Covers the window while a file is dragged. Renders nothing for users who can't upload. */
export function DropZone({ project }: { project: Project }) {
  const t = useTexts().upload;
  const uploads = useUploads();
  const isOver = useFileDrop((files) => uploads.add(project, files), mayInProject(project, 'build.upload'));
  if (!isOver) return null;
  return (
    <div className="tw-drop" aria-hidden>
      <IconUpload size={48} />
      {t.dropInto(project.name)}
    </div>
  );
}

/** Opens the system's file dialog. */
export function UploadButton({ project, variant = 'filled' }: { project: Project; variant?: 'filled' | 'default' }) {
  const t = useTexts().adding;
  const uploads = useUploads();
  const reset = useRef<() => void>(null);
  if (!mayInProject(project, 'build.upload')) return null;
  return (
    <FileButton
      multiple
      resetRef={reset}
      accept={`.${platformFacts[project.platform].extension}`}
      inputProps={{ 'aria-label': t.choose }}
      onChange={(files) => {
        uploads.add(project, files);
        reset.current?.();
      }}
    >
      {(props) => (
        <Button {...props} variant={variant} leftSection={<IconUpload size={16} />}>
          {t.choose}
        </Button>
      )}
    </FileButton>
  );
}
