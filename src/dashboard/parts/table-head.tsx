// The head of a table: a title for each column.

interface TableHeadProps {
  titles: readonly string[];
  /** Each row ends with what can be done with it, in a column without a title. */
  hasActions?: boolean;
}

export function TableHead({ titles, hasActions = false }: TableHeadProps) {
  return (
    <thead>
      <tr>
        {titles.map((title) => (
          <th scope="col" key={title}>
            {title}
          </th>
        ))}
        {hasActions && <td />}
      </tr>
    </thead>
  );
}
