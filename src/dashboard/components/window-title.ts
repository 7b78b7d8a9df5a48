// The title of the window: what the page shows, or the problem instead of its content.
import { useContext, useEffect } from 'react';
import { ProjectContext } from '../pages/project/project-context.ts';

/** Names the window after the page, and after its project: the pages of several projects have the same titles. */
export function useWindowTitle(title: string): void {
  const project = useContext(ProjectContext)?.name;
  useEffect(() => {
    document.title = [title, project, 'Taxiway'].filter((part) => part !== undefined).join(' · ');
  }, [title, project]);
}

/**
 * Names the window after the heading of a problem. Beside another heading of the page, the problem is that of a part, and the page keeps
 * its title.
 */
export function useProblemTitle(title: string | undefined): void {
  useEffect(() => {
    if (title !== undefined && document.querySelectorAll('h1').length === 1) document.title = `${title} · Taxiway`;
  }, [title]);
}
