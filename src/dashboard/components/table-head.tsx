// The header of a table.

interface TableHeadProps {
  titles: readonly string[];
  /** The titles of columns of numbers, which are aligned at their end. */
  ends?: readonly string[];
  /** Whether rows end with a column of actions, which has no title. */
  hasActions?: boolean;
}

export function TableHead({ titles, ends = [], hasActions = false }: TableHeadProps) {
  return (
    <thead>
      <tr>
        {titles.map((title) => (
          <th scope="col" key={title} className={ends.includes(title) ? 'tw-records-end' : undefined}>
            {title}
          </th>
        ))}
        {hasActions && <td />}
      </tr>
    </thead>
  );
}
