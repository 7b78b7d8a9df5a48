// The frame of a page: its head, its states before there is something to show, and boxes.
import { Skeleton, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { useTexts } from '../texts/languages.ts';
import { Command } from './copy.tsx';
import { ProblemPage } from './problem.tsx';

interface PageHeadProps {
  title: string;
  /** Before the title: an icon. */
  icon?: ReactNode;
  /** Below the title. */
  hint?: ReactNode;
  /** At its side: what can be done. */
  actions?: ReactNode;
}

/** Names the page, in the window's title too. */
export function PageHead({ title, icon, hint, actions }: PageHeadProps) {
  useEffect(() => {
    document.title = `${title} · Taxiway`;
  }, [title]);
  return (
    <div className="tw-page-head">
      {icon}
      <div className="tw-page-name">
        <Title order={1} size="h2">
          {title}
        </Title>
        {hint !== undefined && (
          <Text c="dimmed" size="sm" component="div">
            {hint}
          </Text>
        )}
      </div>
      {actions !== undefined && <div className="tw-page-actions">{actions}</div>}
    </div>
  );
}

interface EmptyProps {
  icon?: ReactNode;
  title: string;
  text: ReactNode;
  action?: ReactNode;
  /** The same by command line. */
  command?: string;
  /** There is nothing else on the page. */
  isAlone?: boolean;
}

/** Nothing here yet: the next step, and the command line that does the same. */
export function Empty({ icon, title, text, action, command, isAlone = false }: EmptyProps) {
  const t = useTexts().common;
  return (
    <div className="tw-empty">
      {icon}
      <Title order={isAlone ? 1 : 2} size="h4">
        {title}
      </Title>
      <Text c="dimmed">{text}</Text>
      {action}
      {command !== undefined && (
        <div className="tw-empty-command">
          <Text size="sm" c="dimmed">
            {t.orByCommandLine}
          </Text>
          <Command text={command} />
        </div>
      )}
    </div>
  );
}

/** Stands for content that is on its way; tells who cannot see it. */
export function Loading({ rows = 4, height = 64 }: { rows?: number; height?: number }) {
  const t = useTexts().common;
  return (
    <Stack gap="sm" aria-busy="true">
      <span className="tw-offscreen" role="status">
        {t.loading}
      </span>
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
        <Skeleton key={index} height={height} radius="md" />
      ))}
    </Stack>
  );
}

interface Readable<Data> {
  data: Data | undefined;
  error: unknown;
  refetch(): unknown;
}

/** Shows what was read; before, that it is coming; else what is wrong. What is known stays when renewing fails. */
export function Shown<Data>({
  read,
  loading = <Loading />,
  children,
}: {
  read: Readable<Data>;
  loading?: ReactNode;
  children(data: NonNullable<Data>): ReactNode;
}) {
  if (read.data !== undefined && read.data !== null) return children(read.data);
  if (read.error !== null && read.error !== undefined) {
    return <ProblemPage error={read.error} onRetry={() => void read.refetch()} />;
  }
  return loading;
}

/** A box with a heading. */
export function Section({
  title,
  hint,
  actions,
  children,
}: {
  title: string;
  hint?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className="tw-card">
      <div className="tw-section-head">
        <div>
          <Title order={2} size="h4">
            {title}
          </Title>
          {hint !== undefined && (
            <Text size="sm" c="dimmed">
              {hint}
            </Text>
          )}
        </div>
        {actions}
      </div>
      {children}
    </section>
  );
}
