// Selects the organization that a page belongs to by its address, such as the page of a project.
import { type ReactNode, useLayoutEffect } from 'react';
import { useCurrentUser } from './current-user.ts';

interface InOrganizationProps {
  id: string;
  children: ReactNode;
}

/** Renders its content once the organization is selected, if it's one of the user's, so that the whole app agrees on it. */
export function InOrganization({ id, children }: InOrganizationProps) {
  const { organizations, organization, switchOrganization } = useCurrentUser();
  const isMine = organizations.some(({ identifier }) => identifier === id);
  const isOther = isMine && organization?.identifier !== id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the page opens, because people leave it by selecting another organization
  useLayoutEffect(() => {
    if (isOther) switchOrganization(id);
  }, [id, isMine]);
  return isOther ? null : children;
}
