// Packages dropped on the home page or chosen there. Finds the project of each, creates one, or asks for it.

import { IconUpload } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import type { ProjectOverview } from '../../overviews/project-schema.ts';
import { platformFacts, platforms } from '../../platforms.ts';
import type { Project } from '../../projects/schema.ts';
import type { PackageProject } from '../../uploads/package-project-schema.ts';
import { ApiError } from '../api/errors.ts';
import { invalidate, useApi } from '../api/hooks.ts';
import { FileButton } from '../components/file-button.tsx';
import { mayInOrganization, mayInProject, useOrganization } from '../shell/current-user.ts';
import { ProjectQuestion } from '../shell/lazy-components.tsx';
import { useTexts } from '../texts/locale.ts';
import { useFileDrop } from './file-drop.ts';
import { type ComparedProject, matchProject } from './match-project.ts';
import type { Question } from './project-question.tsx';
import type { PackageInfo } from './read-package.ts';
import { useUploadList, useUploads } from './upload-context.tsx';

const FILE_ENDING = new RegExp(
  `\\.(?:${platforms.map((platform) => platformFacts[platform].extension).join('|')})$`,
  'i',
);

interface Options {
  /** The projects of the organization; undefined while they are loading. */
  overviews: readonly ProjectOverview[] | undefined;
  /** Whether anyone with the link can install from the channel of a first project. */
  isPublic: boolean;
}

interface PackageUpload {
  /** Whether the user can upload anything here. */
  isAllowed: boolean;
  add(files: readonly File[]): void;
  /** What covers the page: the drop target and the question. */
  overlay: ReactNode;
}

/**
 * Uploads packages that are dropped on the page or added. In an organization without projects, a package creates its project,
 * is released to its first channel, and the page of the channel opens. Otherwise people who can create projects are asked.
 */
export function usePackageUpload({ overviews, isPublic }: Options): PackageUpload {
  const t = useTexts().adding;
  const api = useApi();
  const queries = useQueryClient();
  const uploads = useUploads();
  const organization = useOrganization();
  const openChannel = useOpenChannel();
  const [questions, setQuestions] = useState<readonly Question[]>([]);
  const lastQuestion = useRef(0);
  /** Projects that this page created; the list of projects may not have them yet. */
  const created = useRef<ComparedProject[]>([]);
  /** One file after the other, so that two builds of an app create one project. */
  const queue = useRef<Promise<void>>(Promise.resolve());
  const mayCreate = mayInOrganization(organization, 'organization.create_project');
  const allowed = (overviews ?? []).filter(({ project }) => mayInProject(project, 'build.upload'));
  const isAllowed = overviews !== undefined && (mayCreate || allowed.length > 0);
  const isFirst = mayCreate && overviews?.length === 0;
  const query = { organization_id: organization.identifier };

  const listCandidates = (): ComparedProject[] => {
    const known = new Set(allowed.map(({ project }) => project.identifier));
    return [...allowed, ...created.current.filter(({ project }) => !known.has(project.identifier))];
  };
  const ask = (question: Omit<Question, 'id'>) => {
    lastQuestion.current += 1;
    const id = lastQuestion.current;
    setQuestions((asked) => [...asked, { ...question, id }]);
  };

  async function assign(file: File, isAlone: boolean): Promise<void> {
    try {
      const { readPackage } = await import('./read-package.ts');
      // The size limit is checked by the upload itself.
      const found = await readPackage(file, undefined, Number.POSITIVE_INFINITY);
      const match = matchProject(listCandidates(), found);
      const { platform, bundleIdentifier: identifier } = found;
      if ('project' in match) uploads.add(match.project, [file]);
      else if (isFirst && (identifier !== undefined || match.candidates.length === 0)) {
        await create(file, found, isPublic, isAlone);
      } else {
        const { candidates, hasApp } = match;
        ask({ file, platform, identifier, candidates, ...(mayCreate && !hasApp && { info: found }) });
      }
    } catch (error) {
      ask({ file, candidates: [], error });
    }
  }

  async function create(file: File, found: PackageInfo, isOpen: boolean, isAlone: boolean): Promise<void> {
    const { platform, bundleIdentifier } = found;
    const name = found.name ?? (bundleIdentifier === undefined ? file.name.replace(FILE_ENDING, '') : undefined);
    const body = {
      platform,
      ...(bundleIdentifier !== undefined && { bundle_identifier: bundleIdentifier }),
      ...(name !== undefined && name.trim() !== '' && { name: name.trim().slice(0, 100) }),
      channel: { public: isOpen },
    };
    try {
      const { project, channel } = await api.send<PackageProject>('POST', '/projects/from-package', { query, body });
      created.current.push({ project, last_upload: null });
      const id = uploads.addFirst(project, file, channel.identifier);
      if (isAlone) openChannel(id);
      void invalidate(queries, '/projects');
    } catch (error) {
      // Someone else created it, or another tab.
      const existing = error instanceof ApiError ? error.details.project_id : undefined;
      if (typeof existing !== 'string') throw error;
      uploads.add(await api.send<Project>('GET', `/projects/${existing}`), [file]);
    }
  }

  function add(files: readonly File[]): void {
    for (const file of files) queue.current = queue.current.then(() => assign(file, files.length === 1));
  }
  const isOver = useFileDrop(add, isAllowed);
  const [question] = questions;
  /** The dialog shows the last question while it closes. */
  const [last, setLast] = useState(question);
  if (question !== undefined && question !== last) setLast(question);
  const close = () => setQuestions((asked) => asked.slice(1));
  return {
    isAllowed,
    add,
    overlay: (
      <>
        {isOver && (
          <div className="tw-drop" aria-hidden>
            <IconUpload size={48} />
            {isFirst ? t.dropToCreate : t.dropAnywhere}
          </div>
        )}
        {last !== undefined && (
          <Suspense>
            <ProjectQuestion
              question={last}
              isOpen={question !== undefined}
              // While the dialog closes, a second click has nothing to do.
              onChosen={(project) => {
                if (question === undefined) return;
                uploads.add(project, [question.file]);
                close();
              }}
              onCreate={async (info, isOpen) => {
                if (question === undefined) return;
                await create(question.file, info, isOpen, questions.length === 1);
                close();
              }}
              onClose={close}
            />
          </Suspense>
        )}
      </>
    ),
  };
}

/** Returns a function that opens the channel of an upload once it is released, unless the user left the page before. */
function useOpenChannel(): (uploadId: number) => void {
  const navigate = useNavigate();
  const list = useUploadList();
  const [awaited, setAwaited] = useState<number>();
  const upload = list.find(({ id }) => id === awaited);
  const channelId = upload?.release?.channel_id;
  const projectId = upload?.project.identifier;
  useEffect(() => {
    if (channelId === undefined || projectId === undefined) return;
    void navigate({ to: '/projects/$projectId/channels/$channelId', params: { projectId, channelId } });
  }, [channelId, projectId, navigate]);
  return setAwaited;
}

/** Opens the system's file dialog. */
export function PackageButton({ label, onFiles }: { label: string; onFiles(files: readonly File[]): void }) {
  return (
    <FileButton
      label={label}
      accept={platforms.map((platform) => `.${platformFacts[platform].extension}`).join(',')}
      multiple
      leftSection={<IconUpload size={16} />}
      onFiles={onFiles}
    />
  );
}
