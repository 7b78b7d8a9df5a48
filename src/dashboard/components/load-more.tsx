// The button that loads more rows of a list.
import { Button } from '@mantine/core';
import { useTexts } from '../texts/locale.ts';

export interface LoadMoreProps {
  list: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage(): unknown };
  /** What the button says, where "more" could be anything. */
  label?: string;
}

export function LoadMore({ list, label }: LoadMoreProps) {
  const t = useTexts().common;
  if (!list.hasNextPage) return null;
  return (
    <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
      {label ?? t.loadMore}
    </Button>
  );
}
