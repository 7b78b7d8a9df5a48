// The project of the current page.
import { createContext, useContext } from 'react';
import type { Project } from '../../../projects/schema.ts';

export const ProjectContext = createContext<Project | undefined>(undefined);

/** Returns the project of the current page. */
export function useProject(): Project {
  const project = useContext(ProjectContext);
  if (project === undefined) throw new Error('No project is around this component');
  return project;
}

/** Returns the query parameters that select the project. */
export function inProject({ organization_id, identifier }: Project) {
  return { organization_id, project_id: identifier };
}
