// English texts of the dialogs of iOS for downloaded profiles.
import type { ProfileDialogs } from '../dialog-texts.ts';

export const profileDialogs: ProfileDialogs = {
  ask: {
    label: 'Safari asks whether to download the profile. The button Allow is marked.',
    question: 'This website is trying to download a configuration profile. Do you want to allow this?',
    cancel: 'Ignore',
    go: 'Allow',
  },
  downloaded: {
    label: 'The app Settings. The row Profile Downloaded is marked.',
    title: 'Settings',
    row: 'Profile Downloaded',
  },
};
