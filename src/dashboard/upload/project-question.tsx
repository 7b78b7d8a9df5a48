// The dialog that asks which project a package belongs to.

import { Alert, Button, Modal, Stack, Text } from '@mantine/core';
import { platformFacts } from '../../platforms.ts';
import type { Project } from '../../projects/schema.ts';
import { useTexts } from '../texts/locale.ts';
import { type Platform, RejectedFile } from './read-package.ts';

/** A file whose project the user has to select. */
export interface Question {
  file: File;
  platform?: Platform;
  identifier?: string | undefined;
  candidates: readonly Project[];
  error?: unknown;
}

interface ProjectQuestionProps {
  question: Question;
  onChosen(project: Project): void;
  onClose(): void;
}

export function ProjectQuestion({ question, onChosen, onClose }: ProjectQuestionProps) {
  return (
    <Modal opened onClose={onClose} title={question.file.name} centered>
      <Stack>
        <QuestionText question={question} />
        {question.candidates.map((project) => (
          <Button key={project.identifier} variant="default" onClick={() => onChosen(project)}>
            {project.name}
          </Button>
        ))}
      </Stack>
    </Modal>
  );
}

function QuestionText({ question: { error, platform, identifier, candidates } }: { question: Question }) {
  const texts = useTexts();
  const t = texts.upload;
  if (error !== undefined || platform === undefined) {
    const { reason, found = 'ios' } = error instanceof RejectedFile ? error : new RejectedFile('unreadable');
    return (
      <Alert color="red" role="alert" title={t.rejectedTitle}>
        {t.refusals[reason](platform ?? found, found)}
      </Alert>
    );
  }
  const name = platformFacts[platform].name;
  if (candidates.length === 0) return <Text role="alert">{t.noProject(name)}</Text>;
  return <Text>{t.chooseProject(identifier, name)}</Text>;
}
