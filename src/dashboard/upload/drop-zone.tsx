// Uploads of a project: files dropped on the page, and an upload button.

import { IconUpload } from '@tabler/icons-react';
import { platformFacts } from '../../platforms.ts';
import type { Project } from '../../projects/schema.ts';
import { FileButton } from '../components/file-button.tsx';
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
  if (!mayInProject(project, 'build.upload')) return null;
  return (
    <FileButton
      label={t.choose}
      accept={`.${platformFacts[project.platform].extension}`}
      multiple
      variant={variant}
      leftSection={<IconUpload size={16} />}
      onFiles={(files) => uploads.add(project, files)}
    />
  );
}
