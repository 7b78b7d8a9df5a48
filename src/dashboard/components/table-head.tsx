// The header of a table.

interface TableHeadProps {
  titles: readonly string[];
  /** Whether rows end with a column of actions, which has no title. */
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
