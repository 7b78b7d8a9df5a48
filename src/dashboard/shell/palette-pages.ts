// The pages that the palette links to, and matching of entries.
import type { Organization } from '../../organizations/schema.ts';
import type { Project } from '../../projects/schema.ts';
import type { Texts } from '../texts/en.ts';
import { mayInOrganization, mayInProject } from './current-user.ts';

type PageName = keyof Texts['palette']['pageNames'];

export interface PageEntry {
  name: PageName;
  href: string;
}

/** Lists the pages outside of projects that the user may open. */
export function listPages(
  organization: Organization | undefined,
  { isOperator, hasBilling }: { isOperator: boolean; hasBilling: boolean },
): PageEntry[] {
  const may = (permission: Parameters<typeof mayInOrganization>[1]) =>
    organization !== undefined && mayInOrganization(organization, permission);
  const pages: [PageName, string, boolean][] = [
    ['projects', '/', organization !== undefined],
    ['devices', '/devices', may('device.read')],
    ['stores', '/stores', may('store_connection.read')],
    ['testers', '/testers', may('organization_tester.list')],
    ['groups', '/groups', may('tester_group.manage')],
    ['webhooks', '/webhooks', may('webhook.manage')],
    ['members', '/members', organization !== undefined],
    ['expiring', '/expiring', organization !== undefined],
    ['billing', '/billing', hasBilling && organization !== undefined],
    ['audit', '/audit', may('audit.read')],
    ['settings', '/settings', may('organization.edit')],
    ['security', '/settings/security', may('organization.edit')],
    ['sso', '/settings/sso', may('organization.edit')],
    ['storage', '/settings/storage', may('organization.edit')],
    ['myApps', '/my-apps', true],
    ['me', '/me', true],
    ['system', '/system', isOperator],
  ];
  return pages.flatMap(([name, href, isOpen]) => (isOpen ? [{ name, href }] : []));
}

/** Lists the pages of a project that the user may open. */
export function listProjectPages(project: Pick<Project, 'identifier' | 'role'>): PageEntry[] {
  const home = `/projects/${project.identifier}`;
  const pages: [PageName, string, boolean][] = [
    ['channels', home, true],
    ['builds', `${home}/builds`, true],
    ['feedback', `${home}/feedback`, true],
    ['projectTesters', `${home}/testers`, mayInProject(project, 'project_tester.list')],
    ['sdk', `${home}/sdk`, true],
    ['tokens', `${home}/tokens`, mayInProject(project, 'project.manage_tokens')],
    ['projectSettings', `${home}/settings`, mayInProject(project, 'project.edit_icon')],
  ];
  return pages.flatMap(([name, href, isOpen]) => (isOpen ? [{ name, href }] : []));
}

/** Normalizes a text for comparison: without case and accents, so that "gerate" matches "Geräte". */
function plain(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

/** Returns whether each word of `text` is contained in one of the others. */
export function matches(text: string, ...others: (string | null | undefined)[]): boolean {
  const within = plain(others.join(' '));
  return plain(text)
    .split(/\s+/)
    .every((word) => within.includes(word));
}
