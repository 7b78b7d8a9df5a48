// Splits pasted certificates, and members by domain.
import type { OrganizationMember } from '../../../organizations/members/schema.ts';

/**
 * Splits a text into certificates: PEM blocks, or base64 separated by empty lines. Returns undefined if there are none.
 */
export function splitCertificates(text: string): string[] | undefined {
  const blocks = text.split(/(?<=-----END CERTIFICATE-----)|\n\s*\n/).map((block) => block.trim());
  const found = blocks.filter((block) => block !== '');
  return found.length === 0 ? undefined : found;
}

type Member = Pick<OrganizationMember, 'email'>;

/** Splits members by whether their email address is in one of the domains. Subdomains don't count. */
export function splitMembers<One extends Member>(members: readonly One[], domains: readonly string[]) {
  const isInside = ({ email }: One) => domains.includes(email.slice(email.lastIndexOf('@') + 1).toLowerCase());
  return { inside: members.filter(isInside), outside: members.filter((member) => !isInside(member)) };
}
