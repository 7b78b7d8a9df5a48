// Packages dropped on the home page or chosen there. Finds the project of each, or asks for it.

import { Button, FileButton } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { Suspense, useRef, useState } from 'react';
import type { ProjectOverview } from '../../overviews/project-schema.ts';
import { platformFacts, platforms } from '../../platforms.ts';
import { mayInProject } from '../shell/current-user.ts';
import { ProjectQuestion } from '../shell/lazy-components.tsx';
import { useTexts } from '../texts/locale.ts';
import { useFileDrop } from './file-drop.ts';
import { matchProject } from './match-project.ts';
import type { Question } from './project-question.tsx';
import { readPackage } from './read-package.ts';
import { useUploads } from './upload-context.tsx';

/** Renders the upload button, unless the user can't upload to any project. */
export function ProjectsUpload({ overviews }: { overviews: readonly ProjectOverview[] }) {
  const t = useTexts().upload;
  const uploads = useUploads();
  const [questions, setQuestions] = useState<readonly Question[]>([]);
  const allowed = overviews.filter(({ project }) => mayInProject(project, 'build.upload'));
  const reset = useRef<() => void>(null);
  const assignAll = (files: readonly File[]) => {
    for (const file of files) void assign(file);
  };
  const isOver = useFileDrop(assignAll);

  async function assign(file: File): Promise<void> {
    try {
      // The size limit is checked by the upload itself.
      const recognised = await readPackage(file, undefined, Number.POSITIVE_INFINITY);
      const match = matchProject(allowed, recognised);
      if ('project' in match) uploads.add(match.project, [file]);
      else {
        const { platform, bundleIdentifier: identifier } = recognised;
        ask({ file, platform, identifier, candidates: match.candidates });
      }
    } catch (error) {
      ask({ file, candidates: [], error });
    }
  }
  const ask = (question: Question) => setQuestions((asked) => [...asked, question]);
  const [question] = questions;
  const close = () => setQuestions((asked) => asked.slice(1));
  return (
    <>
      {allowed.length > 0 && (
        <FileButton
          multiple
          resetRef={reset}
          accept={platforms.map((platform) => `.${platformFacts[platform].extension}`).join(',')}
          inputProps={{ 'aria-label': t.choose }}
          onChange={(files) => {
            assignAll(files);
            reset.current?.();
          }}
        >
          {(props) => (
            <Button {...props} leftSection={<IconUpload size={16} />}>
              {t.choose}
            </Button>
          )}
        </FileButton>
      )}
      {isOver && (
        <div className="tw-drop" aria-hidden>
          <IconUpload size={48} />
          {t.dropAnywhere}
        </div>
      )}
      {question !== undefined && (
        <Suspense>
          <ProjectQuestion
            question={question}
            onChosen={(project) => {
              uploads.add(project, [question.file]);
              close();
            }}
            onClose={close}
          />
        </Suspense>
      )}
    </>
  );
}
