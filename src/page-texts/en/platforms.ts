// English texts of install pages about each platform.
import type { Platform } from '../../platforms.ts';
import type { PlatformInstallTexts } from '../install-texts.ts';

export const platforms: Record<Platform, PlatformInstallTexts> = {
  ios: {
    desktop: {
      title: 'Open this page on your iPhone or iPad',
      text: 'Point the camera at the code and tap the link.',
    },
    inAppSteps: [
      'Tap the ••• , share or compass button at the edge of the screen.',
      'Choose Open in Safari or Open in browser.',
      'Or copy the link below and paste it into the address bar of Safari.',
    ],
    wrongPlatform: (device) => ({
      title: 'This app is for iPhone and iPad',
      text: `It can’t be installed on an Android ${device}. Scan the code with an iPhone or iPad, or send the link to one.`,
    }),
  },
  android: {
    desktop: {
      title: 'Open this page on your Android phone',
      text: 'Point the camera at the code and tap the link.',
    },
    inAppSteps: [
      'Tap the ⋮ or ••• button at the edge of the screen.',
      'Choose Open in Chrome or Open in browser.',
      'Or copy the link below and paste it into the address bar of your browser.',
    ],
    wrongPlatform: (device) => ({
      title: 'This app is for Android',
      text: `It can’t be installed on an ${device}. Scan the code with an Android phone, or send the link to one.`,
    }),
  },
};
