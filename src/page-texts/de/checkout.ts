// German texts of the page on which people pay.
import type { CheckoutTexts } from '../checkout-texts.ts';

export const checkout: CheckoutTexts = {
  title: 'Zahlung',
  opening: 'Die Zahlung öffnet sich gleich.',
  closed: 'Die Zahlung wurde geschlossen. Es wurde nichts abgebucht.',
  completed: 'Zahlung eingegangen. Sie erscheint innerhalb einer Minute unter Abrechnung.',
  failed:
    'Die Zahlung konnte nicht geöffnet werden. Prüfen Sie die Verbindung und schalten Sie Inhaltsblocker für diese Seite aus.',
  noScript: 'Zahlungen erfordern JavaScript.',
  again: 'Zahlung öffnen',
  back: 'Zurück zur Abrechnung',
  notSetUp: {
    title: 'Zahlungen sind nicht eingerichtet',
    text: 'Der Betreiber dieses Servers muss zuerst die Zahlungsseite konfigurieren.',
  },
  invalid: { title: 'Dieser Zahlungslink ist unvollständig', text: 'Beginnen Sie die Zahlung unter Abrechnung neu.' },
};
