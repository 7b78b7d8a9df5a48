// The button that loads more rows of a list.
import { Button } from '@mantine/core';
import { useTexts } from '../texts/locale.ts';

export interface LoadMoreProps {
  list: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage(): unknown };
}

export function LoadMore({ list }: LoadMoreProps) {
  const t = useTexts().common;
  if (!list.hasNextPage) return null;
  return (
    <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
      {t.loadMore}
    </Button>
  );
}
