// German texts of the pages on which testers unsubscribe.
import type { MuteTexts } from '../mute-texts.ts';

export const mute: MuteTexts = {
  ask: (channel, project) => ({
    title: 'E-Mails abbestellen?',
    text: `Sie erhalten zu jeder neuen Freigabe auf dem Kanal ${channel} von ${project} eine E-Mail.`,
  }),
  unsubscribe: 'Abbestellen',
  muted: (channel) => ({
    title: 'Abbestellt',
    text: `Sie erhalten keine E-Mails über den Kanal ${channel} mehr. Sie können seine Freigaben weiterhin installieren und die E-Mails nach der Anmeldung wieder abonnieren.`,
  }),
  lost: {
    title: 'Abbestellt',
    text: 'Sie erhalten diese E-Mails nicht mehr, da Sie kein Tester dieser App mehr sind.',
  },
  dead: { title: 'Dieser Link funktioniert nicht', text: 'Er ist unvollständig, oder der Kanal wurde gelöscht.' },
};
