// How this browser shows the apps: as rows or as cards.
import { storageKey } from '../../api/storage-key.ts';

export type View = 'rows' | 'cards';

const NAME = 'taxiway.app-view';

export function readView(): View {
  try {
    return localStorage.getItem(storageKey(NAME)) === 'cards' ? 'cards' : 'rows';
  } catch {
    return 'rows';
  }
}

export function saveView(view: View): void {
  try {
    localStorage.setItem(storageKey(NAME), view);
  } catch {
    // Without storage, the choice is valid until the page is closed.
  }
}
