// The dialog that asks which project a package belongs to, or whether to create one.

import { Alert, Button, Modal, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { type Platform, platformFacts } from '../../platforms.ts';
import type { Project } from '../../projects/schema.ts';
import { ApiError, ConnectionError } from '../api/errors.ts';
import { ErrorAlert } from '../components/errors.tsx';
import { useOpened } from '../components/opened.ts';
import { useTexts } from '../texts/locale.ts';
import { PublicSwitch } from './public-switch.tsx';
import type { PackageInfo } from './read-package.ts';
import { RejectedFile } from './rejected-file.ts';

/** A file whose project the user has to select. */
export interface Question {
  /** Distinguishes questions about files of the same name. */
  id: number;
  file: File;
  platform?: Platform;
  identifier?: string | undefined;
  candidates: readonly Project[];
  /** The package, if the user can create a project for it. */
  info?: PackageInfo;
  error?: unknown;
}

interface ProjectQuestionProps {
  question: Question;
  isOpen: boolean;
  onChosen(project: Project): void;
  onCreate(info: PackageInfo, isPublic: boolean): Promise<void>;
  onClose(): void;
}

export function ProjectQuestion({ question, isOpen, onChosen, onCreate, onClose }: ProjectQuestionProps) {
  const t = useTexts().upload;
  const { info, candidates } = question;
  return (
    <Modal opened={useOpened(isOpen)} onClose={onClose} title={question.file.name} centered>
      <Stack>
        <QuestionText question={question} />
        {info !== undefined && <CreateProject key={question.id} info={info} onCreate={onCreate} />}
        {info !== undefined && candidates.length > 0 && (
          <Text size="sm" fw={500}>
            {t.existingProject}
          </Text>
        )}
        {candidates.map((project) => (
          <Button key={project.identifier} variant="default" onClick={() => onChosen(project)}>
            {project.name}
          </Button>
        ))}
      </Stack>
    </Modal>
  );
}

function CreateProject({ info, onCreate }: { info: PackageInfo } & Pick<ProjectQuestionProps, 'onCreate'>) {
  const t = useTexts().upload;
  const [isPublic, setPublic] = useState(false);
  const [isCreating, setCreating] = useState(false);
  const [error, setError] = useState<unknown>();
  async function create(): Promise<void> {
    setCreating(true);
    try {
      await onCreate(info, isPublic);
    } catch (failure) {
      setError(failure);
      setCreating(false);
    }
  }
  return (
    <>
      <PublicSwitch isPublic={isPublic} onChange={setPublic} />
      {error !== undefined && <ErrorAlert error={error} />}
      <Button leftSection={<IconPlus size={16} />} loading={isCreating} onClick={() => void create()}>
        {t.createProject}
      </Button>
    </>
  );
}

function QuestionText({ question: { error, platform, identifier, candidates, info } }: { question: Question }) {
  const texts = useTexts();
  const t = texts.upload;
  if (error instanceof ApiError || error instanceof ConnectionError) return <ErrorAlert error={error} />;
  if (error !== undefined || platform === undefined) {
    const { reason, found = 'ios' } = error instanceof RejectedFile ? error : new RejectedFile('unreadable');
    return (
      <Alert color="red" role="alert" title={t.rejectedTitle}>
        {/* The size limit is checked by the upload. */}
        {t.refusals[reason](platform ?? found, found, '')}
      </Alert>
    );
  }
  const name = platformFacts[platform].name;
  if (info !== undefined) return <Text>{t.newApp(identifier, name)}</Text>;
  if (candidates.length === 0) return <Text role="alert">{t.noProject(name)}</Text>;
  return <Text>{t.chooseProject(identifier, name)}</Text>;
}
