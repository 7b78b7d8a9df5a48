// German texts of the dialogs of iOS for downloaded profiles.
import type { ProfileDialogs } from '../dialog-texts.ts';

export const profileDialogs: ProfileDialogs = {
  ask: {
    label: 'Safari fragt, ob das Profil geladen werden darf. Die Taste „Zulassen“ ist markiert.',
    question: 'Diese Website versucht, ein Konfigurationsprofil zu laden. Möchtest du dies zulassen?',
    cancel: 'Ignorieren',
    go: 'Zulassen',
  },
  downloaded: {
    label: 'Die App „Einstellungen“. Die Zeile „Profil geladen“ ist markiert.',
    title: 'Einstellungen',
    row: 'Profil geladen',
  },
};
