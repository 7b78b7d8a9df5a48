// The steps after the tap, each with a drawing of what the phone shows.

import { formatBytes } from '../../lib/formats.ts';
import type { InstallTexts } from '../../page-texts/install-texts.ts';
import {
  alertDrawing,
  androidDialogDrawing,
  androidNoticeDrawing,
  androidSwitchDrawing,
  type DrawnApp,
  type DrawnStep,
  homeDrawing,
  settingsDrawing,
} from '../../pages/drawings.ts';
import { boundName, firstLetter } from './format.ts';
import type { AppView, InstallTarget } from './view.ts';

/** Longer names don't fit into a drawn dialog. */
const MAX_NAME_LENGTH = 28;

/** Returns the steps on an iPhone or iPad, for iOS 26. */
export function iosSteps(
  { manifestUrl }: Extract<InstallTarget, { platform: 'ios' }>,
  app: AppView,
  device: string,
  texts: InstallTexts,
): DrawnStep[] {
  const t = texts.pictures;
  const drawn = drawnApp(app);
  const profile = app.release?.profileKind ?? null;
  const { cancel, loading } = t;
  const question = t.iosQuestion(new URL(manifestUrl).hostname, drawn.name);
  const pictures = [
    alertDrawing(t.iosAsks(question), { question, cancel, go: texts.install }),
    homeDrawing(t.iosLoads(device), drawn, { caption: loading, isReady: false }),
    homeDrawing(t.iosIsReady(device), drawn, { caption: drawn.name, isReady: true }),
  ];
  const steps = texts.iosSteps(boundName(app.name), device);
  return [
    ...pictures.map((picture, index) => ({ picture, words: steps[index] ?? '' })),
    ...(profile === 'enterprise'
      ? [
          {
            words: texts.iosTrustStep,
            picture: settingsDrawing(t.trust.label, { ...t.trust, hint: t.trust.hint(device), isSwitch: false }),
          },
        ]
      : []),
    ...(profile === 'development'
      ? [
          {
            words: texts.iosDeveloperModeStep,
            picture: settingsDrawing(t.developerMode.label, { ...t.developerMode, isSwitch: true }),
          },
        ]
      : []),
  ];
}

/** Returns the steps on Android 8 and later, as Chrome and Android 16 show them. */
export function androidSteps(app: AppView, texts: InstallTexts): DrawnStep[] {
  const t = texts.pictures;
  const drawn = drawnApp(app);
  const file = `${boundName(app.name, 18)}.apk`;
  const size = app.release === null ? '' : formatBytes(app.release.sizeBytes, texts.language);
  const pictures = [
    androidDialogDrawing(t.warning.label, {
      title: t.warning.title,
      question: t.warning.question(file),
      cancel: t.cancel,
      go: t.warning.go,
      app: null,
    }),
    androidNoticeDrawing(t.downloaded.label, { title: t.downloaded.title, file, facts: size }),
    androidSwitchDrawing(t.unknownApps.label, t.unknownApps),
    androidDialogDrawing(t.confirm.label, {
      title: drawn.name,
      question: t.confirm.question,
      cancel: t.cancel,
      go: texts.install,
      app: drawn,
    }),
  ];
  return pictures.map((picture, index) => ({ picture, words: texts.androidSteps[index] ?? '' }));
}

function drawnApp({ name, iconUrl }: AppView): DrawnApp {
  return { name: boundName(name, MAX_NAME_LENGTH), letter: firstLetter(name), iconUrl };
}
