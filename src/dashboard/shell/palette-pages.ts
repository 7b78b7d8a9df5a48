// Which pages the palette leads to, and what of its entries a text finds.
import type { Organization } from '../../organizations/schema.ts';
import type { Project } from '../../projects/schema.ts';
import type { Texts } from '../texts/en.ts';
import { mayInOrganization, mayInProject } from './me.ts';

type PageName = keyof Texts['palette']['pageNames'];

export interface PageEntry {
  name: PageName;
  href: string;
}

/** The pages that somebody may open: outside projects. */
export function listPages(organization: Organization | undefined, isOperator: boolean): PageEntry[] {
  const may = (permission: Parameters<typeof mayInOrganization>[1]) =>
    organization !== undefined && mayInOrganization(organization, permission);
  const pages: [PageName, string, boolean][] = [
    ['projects', '/', organization !== undefined],
    ['devices', '/devices', may('device.read')],
    ['testers', '/testers', may('organization_tester.list')],
    ['groups', '/groups', may('tester_group.manage')],
    ['webhooks', '/webhooks', may('webhook.manage')],
    ['members', '/members', organization !== undefined],
    ['expiring', '/expiring', organization !== undefined],
    ['audit', '/audit', may('audit.read')],
    ['settings', '/settings', may('organization.edit')],
    ['security', '/settings/security', may('organization.edit')],
    ['sso', '/settings/sso', may('organization.edit')],
    ['myApps', '/my-apps', true],
    ['me', '/me', true],
    ['system', '/system', isOperator],
  ];
  return pages.flatMap(([name, href, isOpen]) => (isOpen ? [{ name, href }] : []));
}

/** The pages of a project that somebody may open. */
export function listProjectPages(project: Pick<Project, 'identifier' | 'role'>): PageEntry[] {
  const home = `/projects/${project.identifier}`;
  const pages: [PageName, string, boolean][] = [
    ['channels', home, true],
    ['builds', `${home}/builds`, true],
    ['projectTesters', `${home}/testers`, mayInProject(project, 'project_tester.list')],
    ['sdk', `${home}/sdk`, true],
    ['tokens', `${home}/tokens`, mayInProject(project, 'project.manage_tokens')],
    ['projectSettings', `${home}/settings`, mayInProject(project, 'project.edit_icon')],
  ];
  return pages.flatMap(([name, href, isOpen]) => (isOpen ? [{ name, href }] : []));
}

/** What is compared: without case and accents, so that "gerate" finds "Geräte". */
function plain(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

/** Whether every word of a text stands in one of the others. */
export function matches(text: string, ...others: (string | null | undefined)[]): boolean {
  const within = plain(others.join(' '));
  return plain(text)
    .split(/\s+/)
    .every((word) => within.includes(word));
}
