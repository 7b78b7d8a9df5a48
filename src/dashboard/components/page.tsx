// The building blocks of pages: header, empty state, loading state and sections.
import { Skeleton, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { isGone } from '../api/errors.ts';
import { useTexts } from '../texts/locale.ts';
import { CommandBlock } from './copy.tsx';
import { Drawing } from './drawing.tsx';
import type { DrawingName } from './drawing-ground.tsx';
import { ErrorPage } from './errors.tsx';
import { inRem } from './font-size.ts';
import { useProblemTitle, useWindowTitle } from './window-title.ts';

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
  useWindowTitle(title);
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
  drawing?: DrawingName;
  title: string;
  text?: ReactNode;
  action?: ReactNode;
  /** A command that does the same: an API request with curl, or our program. */
  command?: string;
  /** Whether nothing else is on the page. */
  isAlone?: boolean;
}

/** The state of an empty list: a drawing, what to do next, and how the API does the same. */
export function EmptyState({ drawing = 'channel', title, text, action, command, isAlone = false }: EmptyProps) {
  const t = useTexts().common;
  useProblemTitle(isAlone ? title : undefined);
  return (
    <div className="tw-empty">
      <Drawing name={drawing} />
      <Title order={isAlone ? 1 : 2} size="h3">
        {title}
      </Title>
      {text !== undefined && text !== '' && <div className="tw-empty-text">{text}</div>}
      {action}
      {command !== undefined && (
        <details className="tw-use-api">
          <summary>{command.includes('curl ') ? t.useApi : t.useProgram}</summary>
          <CommandBlock text={command} />
        </details>
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

interface SkeletonProps {
  rows?: number;
  /** The width of the picture before each row; none without it. */
  picture?: number;
  /** Whether rows have a second line. */
  hasCaption?: boolean;
  /** The height of a row, where it's neither that of one line nor of two. */
  height?: number;
  /** The height of what is above the rows, such as the head of a table. */
  head?: number;
}

/** A list in its final shape while it is being loaded. */
export function RowsSkeleton({ rows = 4, picture = 20, hasCaption = false, head = 0, height }: SkeletonProps) {
  const t = useTexts().common;
  const style = height === undefined ? {} : { height: inRem(height) };
  return (
    <div aria-busy="true">
      <span className="tw-offscreen" role="status">
        {t.loading}
      </span>
      {head > 0 && <div className="tw-skeleton-head" style={{ height: inRem(head) }} />}
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the placeholders are identical
        <div key={index} className="tw-row-skeleton" data-caption={hasCaption || undefined} style={style}>
          {picture > 0 && <Skeleton width={picture} height={picture} circle className="tw-skeleton-picture" />}
          <span className="tw-grow">
            <Skeleton width={`${SKELETON_WIDTHS[index % SKELETON_WIDTHS.length]}%`} height={12} />
            {hasCaption && <Skeleton width="16%" height={10} mt={8} />}
          </span>
          <Skeleton width={64} height={10} />
        </div>
      ))}
    </div>
  );
}

const SKELETON_WIDTHS = [32, 24, 40, 28];

/** Names and values in their final shape while they are being loaded. */
export function FactsSkeleton({ rows = 4 }: { rows?: number }) {
  const t = useTexts().common;
  return (
    <div aria-busy="true" className="tw-fact-lines">
      <span className="tw-offscreen" role="status">
        {t.loading}
      </span>
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the placeholders are identical
        <div key={index}>
          <Skeleton width={72} height={12} />
          <Skeleton width="60%" height={12} />
        </div>
      ))}
    </div>
  );
}

interface Readable<Data> {
  data: Data | undefined;
  error: unknown;
  refetch(): unknown;
}

/**
 * Renders loaded data, the loading state, or the error. Existing data stays visible if refetching fails, unless it no longer exists: nothing
 * that could be done with it would work.
 */
export function QueryContent<Data>({
  read,
  loading = <Loading />,
  children,
}: {
  read: Readable<Data>;
  loading?: ReactNode;
  children(data: NonNullable<Data>): ReactNode;
}) {
  if (read.data !== undefined && read.data !== null && !isGone(read.error)) return children(read.data);
  if (read.error !== null && read.error !== undefined) {
    return <ErrorPage error={read.error} onRetry={() => void read.refetch()} />;
  }
  return loading;
}

/** A part of a page with a heading. */
export function Section({
  title,
  id,
  count,
  hint,
  actions,
  children,
}: {
  title: string;
  /** The target of links to the section. */
  id?: string;
  /** The number of items, shown beside the title. */
  count?: number | string;
  hint?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className="tw-section" id={id}>
      <div className="tw-section-head">
        <div>
          <div className="tw-section-title">
            <Title order={2} size="h4">
              {title}
            </Title>
            {count !== undefined && <span className="tw-count">{count}</span>}
          </div>
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
