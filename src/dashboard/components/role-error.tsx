// The page for people whose role doesn't allow what is at an address: whom to ask.
import { useTexts } from '../texts/locale.ts';
import { useAdmins } from './admins.ts';
import { EmptyState } from './page.tsx';

interface RoleErrorProps {
  title?: string;
  text?: string;
  /** The organization of the page, if it can be another one than the selected one. */
  organizationId?: string;
}

/** Renders the page with the names of the organization's admins. */
export function RoleErrorPage({ title, text, organizationId }: RoleErrorProps) {
  const refusal = useTexts().errors.codes.insufficient_role;
  const { admins } = useAdmins(organizationId);
  return (
    <EmptyState
      isAlone
      drawing="lock"
      title={title ?? refusal?.title ?? ''}
      text={text ?? refusal?.text}
      action={
        <ul className="tw-bare-list">
          {admins?.map(({ developer_id: id, display_name: name, email }) => (
            <li key={id}>
              {name} <span className="tw-small">{email}</span>
            </li>
          ))}
        </ul>
      }
    />
  );
}
