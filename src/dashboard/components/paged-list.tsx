// The rows of a list that is read page by page.
import type { ReactNode } from 'react';
import { LoadMore, type LoadMoreProps } from './load-more.tsx';
import { QueryContent } from './page.tsx';

interface PagedListProps<Row> {
  list: LoadMoreProps['list'] & { rows: Row[] | undefined; refetch(): unknown };
  loading: ReactNode;
  /** Renders one row, with its key. */
  children(row: Row): ReactNode;
}

export function PagedList<Row>({ list, loading, children }: PagedListProps<Row>) {
  return (
    <>
      <QueryContent read={{ ...list, data: list.rows }} loading={loading}>
        {(rows) => <ul className="tw-list">{rows.map(children)}</ul>}
      </QueryContent>
      <LoadMore list={list} />
    </>
  );
}
