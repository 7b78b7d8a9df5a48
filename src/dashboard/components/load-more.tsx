// The button that loads more rows of a list.
import { Button } from '@mantine/core';
import { useTexts } from '../texts/locale.ts';
import { ErrorAlert } from './errors.tsx';

export interface LoadMoreProps {
  list: {
    hasNextPage: boolean;
    isFetchingNextPage: boolean;
    isFetchNextPageError: boolean;
    error: unknown;
    fetchNextPage(): unknown;
  };
  /** What the button says, where "more" could be anything. */
  label?: string;
}

export function LoadMore({ list, label }: LoadMoreProps) {
  const t = useTexts().common;
  if (!list.hasNextPage) return null;
  return (
    <>
      {list.isFetchNextPageError && <ErrorAlert error={list.error} />}
      <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
        {label ?? t.loadMore}
      </Button>
    </>
  );
}
