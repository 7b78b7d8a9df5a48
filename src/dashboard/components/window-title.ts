// The title of the window on a page that shows a problem instead of its content.
import { useEffect } from 'react';

/**
 * Names the window after the heading of a problem. Beside another heading of the page, the problem is that of a part, and the page keeps
 * its title.
 */
export function useProblemTitle(title: string | undefined): void {
  useEffect(() => {
    if (title !== undefined && document.querySelectorAll('h1').length === 1) document.title = `${title} · Taxiway`;
  }, [title]);
}
