// Parts what was pasted into certificates, and members by their addresses.
import type { OrganizationMember } from '../../../organizations/members/schema.ts';

/** Certificates that stand one below the other: blocks of PEM, or base64 parted by empty lines; undefined for none. */
export function splitCertificates(text: string): string[] | undefined {
  const blocks = text.split(/(?<=-----END CERTIFICATE-----)|\n\s*\n/).map((block) => block.trim());
  const found = blocks.filter((block) => block !== '');
  return found.length === 0 ? undefined : found;
}

type Member = Pick<OrganizationMember, 'email'>;

/** Members by whether their address lies in one of these domains; names below a domain do not. */
export function splitMembers<One extends Member>(members: readonly One[], domains: readonly string[]) {
  const isInside = ({ email }: One) => domains.includes(email.slice(email.lastIndexOf('@') + 1).toLowerCase());
  return { inside: members.filter(isInside), outside: members.filter((member) => !isInside(member)) };
}
