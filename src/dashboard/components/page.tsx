// The building blocks of pages: header, empty state, loading state and sections.
import { Skeleton, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { useTexts } from '../texts/locale.ts';
import { CommandBlock } from './copy.tsx';
import { ErrorPage } from './errors.tsx';

interface PageHeadProps {
  title: string;
  /** Shown instead of the title, which then only names the window. */
  heading?: ReactNode;
  /** An icon before the title. */
  icon?: ReactNode;
  /** Shown after the title. */
  beside?: ReactNode;
  /** Shown below the title. */
  hint?: ReactNode;
  /** Buttons beside the title. */
  actions?: ReactNode;
}

/** Renders the page's title, and sets the title of the window. */
export function PageHeader({ title, heading = title, icon, beside, hint, actions }: PageHeadProps) {
  useEffect(() => {
    document.title = `${title} · Taxiway`;
  }, [title]);
  return (
    <div className="tw-page-head">
      {icon}
      <div className="tw-page-name">
        <div className="tw-page-title">
          <Title order={1} size="h2">
            {heading}
          </Title>
          {beside}
        </div>
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
  /** A command that does the same. */
  command?: string;
  /** Whether nothing else is on the page. */
  isAlone?: boolean;
}

/** The state of an empty list: what to do next, and the command that does the same. */
export function EmptyState({ icon, title, text, action, command, isAlone = false }: EmptyProps) {
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
          <CommandBlock text={command} />
        </div>
      )}
    </div>
  );
}

/** Placeholder for content that is being loaded, announced to screen readers. */
export function Loading({ rows = 4, height = 64 }: { rows?: number; height?: number }) {
  const t = useTexts().common;
  return (
    <Stack gap="sm" aria-busy="true">
      <span className="tw-offscreen" role="status">
        {t.loading}
      </span>
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the placeholders are identical
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

/** Renders loaded data, the loading state, or the error. Existing data stays visible if refetching fails. */
export function QueryContent<Data>({
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
    return <ErrorPage error={read.error} onRetry={() => void read.refetch()} />;
  }
  return loading;
}

/** A card with a heading. */
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
    <section className="tw-section">
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
