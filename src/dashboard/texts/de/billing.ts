// Deutsche Texte der Seite über Tarif, Guthaben und Zahlungen.
import type { Texts } from '../en.ts';

export const billing: Texts['billing'] = {
  title: 'Abrechnung',
  states: {
    suspended:
      'Gesperrt: Eine Zahlung ist fehlgeschlagen. Uploads und Änderungen sind erst wieder möglich, wenn sie beglichen ist. Downloads sind höchstens noch für begrenzte Zeit möglich.',
    awaiting_payment:
      'Zahlung ausstehend: Uploads, Downloads und Änderungen sind erst wieder möglich, wenn eine Zahlungsart hinterlegt ist.',
    grace:
      'Die Testphase ist abgelaufen: Uploads, Downloads und Änderungen sind erst wieder möglich, wenn eine Zahlungsart hinterlegt ist.',
    retrying:
      'Eine Zahlung ist fehlgeschlagen und wird wiederholt. Die Organisation ist noch nicht gesperrt. Bezahlen Sie jetzt, um sie zu begleichen.',
    trial: (day) =>
      `Die Testphase läuft bis ${day}. Bis dahin ist keine Zahlungsart nötig; Speicher, Downloads und Mitglieder werden vom Guthaben bezahlt.`,
    trialOffline: (day) =>
      `Die Testphase läuft bis ${day}. Wenden Sie sich an den Betreiber dieses Servers, um danach weiterzumachen. Speicher, Downloads und Mitglieder werden vom Guthaben bezahlt.`,
    active: 'Der Tarif ist bezahlt.',
    open: 'Die Organisation ist nicht gesperrt. Uploads und Downloads können trotzdem abgelehnt werden, wenn kein Guthaben vorhanden oder das Ausgabenlimit erreicht ist.',
  },
  gates: {
    credit: () =>
      'Kein Guthaben verfügbar: Uploads und Downloads sind erst wieder möglich, wenn Guthaben aufgeladen ist.',
    cap: (_amount, isOperators) =>
      `Das monatliche Ausgabenlimit ist erreicht: Uploads und Downloads sind erst nächsten Monat wieder möglich, oder wenn ${isOperators ? 'der Betreiber des Servers das Limit erhöht' : 'das Limit erhöht wird'}.`,
    uploadCredit: (amount) =>
      `Es ist weniger verfügbar als die ${amount}, die jeder Upload reserviert: Uploads können abgelehnt werden, bis Guthaben aufgeladen ist.`,
    uploadCap: (amount, isOperators) =>
      `Vom monatlichen Ausgabenlimit ist weniger übrig als die ${amount}, die jeder Upload reserviert: Uploads können bis nächsten Monat abgelehnt werden, oder bis ${isOperators ? 'der Betreiber des Servers das Limit erhöht' : 'das Limit erhöht wird'}.`,
  },
  downloadsUntil: (day) => `Vorhandene Builds können bis ${day} heruntergeladen werden.`,
  downloadsEnded: (day) => `Downloads werden seit ${day} abgelehnt.`,
  memberHint: 'Beträge sehen nur Admins der Organisation.',
  balance: 'Guthaben',
  available: 'Verfügbar',
  reserved: 'Reserviert',
  reservedHint: 'Für laufende Uploads, Downloads und Erstattungen.',
  monthToDate: 'Diesen Monat verbraucht',
  cap: 'Monatliches Ausgabenlimit',
  capHint: 'Admins legen es mit der API fest.',
  ceilingHint: 'Vom Betreiber dieses Servers festgelegt.',
  noCap: 'Keines',
  meters: {
    title: 'Dieser Monat',
    meter: 'Zähler',
    usage: 'Nutzung',
    cost: 'Kosten',
    storage: 'Speicher',
    downloads: 'Downloads',
    seats: 'Mitglieder',
    gibMonths: (amount) => `${amount} GiB-Monate`,
    gib: (amount) => `${amount} GiB`,
    seatMonths: (amount) => `${amount} Mitgliedsmonate`,
    total: 'Summe',
  },
  days: {
    title: 'Kosten nach Tag',
    stored: 'Speicher und Mitglieder',
    downloads: 'Downloads',
    total: (amount) => `${amount} in diesem Monat`,
    none: 'In diesem Monat sind noch keine Kosten entstanden.',
  },
  largest: {
    title: 'Was Speicher belegt',
    hint: 'Gelöschte Builds werden nicht mehr berechnet.',
    projects: 'Größte Projekte',
    builds: 'Größte Builds',
    released: 'Freigegeben',
    none: 'Noch keine Builds.',
  },
  plan: 'Tarif und Zahlungsart',
  planName: 'Tarif',
  price: 'Preis',
  plans: { team: 'Team', business: 'Business' },
  perMonth: (amount) => `${amount} pro Monat`,
  paidUntil: 'Bezahlt bis',
  card: 'Zahlungsart',
  hasCard: 'Hinterlegt',
  hasNoCard: 'Keine',
  addCard: 'Zahlungsart hinzufügen',
  changeCard: 'Zahlungsart ändern',
  payNow: 'Jetzt bezahlen',
  upgrade: 'Auf Business wechseln',
  comingSoon: 'Business – demnächst',
  downgrade: 'Auf Team wechseln',
  changeTitle: (plan) => `Auf den Tarif ${plan} wechseln?`,
  effects: {
    charged: (price) =>
      `Business kostet ${price} pro Monat. Der Unterschied für den laufenden Zeitraum wird sofort von Ihrer Zahlungsart abgebucht.`,
    nextPeriod: (price) => `Team kostet ${price} pro Monat, ab dem nächsten Zeitraum.`,
    builds: (days, before) =>
      `Builds werden ${days === 1 ? '1 Tag' : `${days} Tage`} aufbewahrt statt ${before === 0 ? 'dauerhaft' : before}. Ältere, die sonst nichts behält, werden eine Woche nach einer E-Mail darüber gelöscht.`,
    audit: (days, before) =>
      `Ereignisse im Protokoll werden ${days === 1 ? '1 Tag' : `${days} Tage`} aufbewahrt statt ${before === 0 ? 'dauerhaft' : before}.`,
    sso: 'Single Sign-on kann nicht mehr eingerichtet oder geändert, sondern nur noch ausgeschaltet werden.',
  },
  noPaymentPage: {
    title: 'Der Zahlungsanbieter hat keine Seite für diese Zahlung',
    text: 'Es wurde nichts abgebucht oder geändert. Bitten Sie den Betreiber dieses Servers, eine einzurichten.',
  },
  changedTo: (plan) => `Tarif geändert: ${plan}`,
  offline: 'Zahlungen werden mit dem Betreiber dieses Servers vereinbart.',
  topUp: 'Guthaben aufladen',
  amount: 'Betrag',
  amountAtLeast: (amount) => `Mindestens ${amount}`,
  amountAtMost: (amount) => `Höchstens ${amount}`,
  amountInvalid: (example) => `Geben Sie einen Betrag wie ${example} ein`,
  ledger: 'Aufladungen und Erstattungen',
  noEntries: 'Noch keine Aufladungen oder Erstattungen.',
  kinds: { topup: 'Aufladung', refund: 'Erstattung' },
  sources: { operator: 'Betreiber', paddle: 'Online-Zahlung' },
  date: 'Datum',
  type: 'Art',
  source: 'Herkunft',
  note: 'Notiz',
  fee: (amount) => `Gebühr: ${amount}`,
};
