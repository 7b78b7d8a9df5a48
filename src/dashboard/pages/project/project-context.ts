// The project around a page.
import { createContext, useContext } from 'react';
import type { Project } from '../../../projects/schema.ts';

export const ProjectContext = createContext<Project | undefined>(undefined);

/** The project that is looked at. */
export function useProject(): Project {
  const project = useContext(ProjectContext);
  if (project === undefined) throw new Error('No project is around this component');
  return project;
}

/** The query that names it, for everything that lies in it. */
export function inProject({ organization_id, identifier }: Project) {
  return { organization_id, project_id: identifier };
}
