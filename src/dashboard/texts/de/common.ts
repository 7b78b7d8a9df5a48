// What every page shares, in German.
import type { Texts } from '../en.ts';

export const common: Texts['common'] = {
  copy: 'Kopieren',
  copied: 'Kopiert',
  copyThing: (what) => `${what} kopieren`,
  commandLine: 'Befehlszeile',
  orByCommand: 'Oder dasselbe im Terminal:',
  loading: 'Wird geladen …',
  loadMore: 'Mehr laden',
  cancel: 'Abbrechen',
  save: 'Speichern',
  saved: 'Gespeichert',
  create: 'Anlegen',
  close: 'Schließen',
  remove: 'Entfernen',
  chooseIcon: 'Bild auswählen',
  done: 'Fertig',
  secretOnce: 'Dies wird nur einmal gezeigt und kann später nicht mehr gelesen werden.',
  secretKept: 'Ich habe es dort abgelegt, wo es hingehört',
  edit: 'Bearbeiten',
  back: 'Zurück',
  none: 'Keine',
  never: 'Nie',
  optional: 'freiwillig',
  localLink: 'Diese Adresse gilt nur auf diesem Rechner. Für Telefone den Server mit einer starten, die sie erreichen:',
  unsentMail: 'Der Betreiber liest die Nachricht auf dem Server mit',
  qrCodeOf: (thing) => `QR-Code: ${thing}`,
  showQrCode: 'QR-Code zeigen',
  hideQrCode: 'QR-Code ausblenden',
  more: 'Mehr',
  typeToConfirm: (text) => `„${text}“ eintippen, um fortzufahren`,
  platforms: { ios: 'iOS', android: 'Android' },
};

export const problems: Texts['problems'] = {
  requestId: 'Anfrage-ID',
  tryAgain: 'Noch einmal versuchen',
  back: 'Zurück',
  tryAgainIn: (seconds) =>
    seconds < 90
      ? `In ${seconds} Sekunden noch einmal versuchen.`
      : `In ${Math.ceil(seconds / 60)} Minuten noch einmal versuchen.`,
  lost: {
    title: 'Der Server antwortet nicht',
    text: 'Eingegebenes ist noch da. Die Seite macht von selbst weiter, sobald die Verbindung wieder steht.',
  },
  unexpected: {
    title: 'Auf dieser Seite ist etwas schiefgegangen',
    text: 'Bitte neu laden. Hilft das nicht, den Betreiber des Servers ansprechen.',
  },
  server: {
    title: 'Auf dem Server ist etwas schiefgegangen',
    text: 'Wer ihn betreibt, findet den Grund im Protokoll unter der Anfrage-ID.',
  },
  refused: { title: 'Das wurde abgelehnt', text: '' },
  statuses: {
    400: { title: 'Das geht nicht', text: '' },
    401: { title: 'Niemand ist angemeldet', text: 'Zum Weitermachen bitte neu anmelden.' },
    402: {
      title: 'Die Organisation muss erst ihr Konto ausgleichen',
      text: 'Das kann jemand aus der Verwaltung. Vorhandenes bleibt lesbar.',
    },
    403: { title: 'Das ist nicht erlaubt', text: 'Die Verwaltung der Organisation kann helfen.' },
    404: { title: 'Hier ist nichts', text: 'Es wurde entfernt, oder der Zugang dazu fehlt.' },
    409: { title: 'Etwas steht im Weg', text: '' },
    413: { title: 'Das ist zu groß', text: '' },
    429: { title: 'Zu viel auf einmal', text: 'Bitte einen Moment warten.' },
    503: { title: 'Ein Teil des Servers antwortet nicht', text: 'Das geht meist vorbei. Bitte einen Moment warten.' },
  },
  codes: {
    billing_suspended: {
      title: 'Die Organisation ist gesperrt',
      text: 'Erst muss der offene Betrag beglichen sein. Das kann jemand aus der Verwaltung.',
    },
    payment_required: {
      title: 'Es fehlt ein Zahlungsmittel',
      text: 'Die Verwaltung der Organisation kann eines hinterlegen.',
    },
    trial_ended: {
      title: 'Die Probezeit ist vorbei',
      text: 'Hoch- und Herunterladen geht weiter, sobald ein Zahlungsmittel hinterlegt ist.',
    },
    insufficient_role: {
      title: 'Die eigene Rolle erlaubt das nicht',
      text: 'Die Verwaltung der Organisation kann es tun oder die Rolle ändern.',
    },
    email_not_verified: {
      title: 'Erst die Adresse bestätigen',
      text: 'Öffnen Sie dazu den Bestätigungslink. Bis dahin können Sie sich nur umsehen.',
    },
    mfa_enrollment_required: {
      title: 'Die Organisation verlangt einen zweiten Faktor',
      text: 'Unter „Eigenes Konto“ einen Passkey oder eine Code-App hinzufügen, dann wiederkommen.',
    },
    already_exists: { title: 'Das gibt es schon', text: 'Bitte einen anderen Namen wählen.' },
    dependency_exists: { title: 'Es wird noch gebraucht', text: '' },
  },
  fieldCodes: { already_exists: 'Das ist schon vergeben' },
  fields: {
    missing: 'Bitte ausfüllen',
    string_too_short: 'Bitte ausfüllen',
    permission_denied: 'Falsch. Versuchen Sie es erneut.',
  },
};

export const shell: Texts['shell'] = {
  skip: 'Zum Inhalt springen',
  menu: 'Menü',
  sidebar: 'Seitenleiste',
  topbar: 'Kopfleiste',
  mainNavigation: 'Hauptnavigation',
  organization: 'Organisation',
  switchOrganization: 'Organisation wechseln',
  newOrganization: 'Neue Organisation',
  organizationName: 'Name der Organisation',
  search: 'Springen zu …',
  searchHint: 'Projekt, Build, Kanal, Person oder Seite',
  account: 'Eigenes Konto',
  language: 'Sprache',
  signOut: 'Abmelden',
  apiReference: 'API-Referenz',
  lost: 'Die Verbindung ist unterbrochen. Es geht von selbst weiter, sobald sie wieder steht.',
  wrongAddress: (address) =>
    `Dieser Server ist für ${address} eingerichtet. Anmelden geht nur dort: dort öffnen, oder base_url auf diese Adresse setzen.`,
  ended: 'Die Sitzung ist zu Ende',
  endedText: 'Bitte neu anmelden, dann geht es hier weiter. Eingegebenes ist noch da.',
  noOrganization: 'Noch in keiner Organisation',
  noOrganizationText: 'Eine für das Team anlegen, oder sich von der Verwaltung einer bestehenden einladen lassen.',
  unverified: {
    mailed: (email) =>
      `Bestätigen Sie ${email}: Öffnen Sie den Link in unserer E-Mail. Bis dahin können Sie sich nur umsehen.`,
    unmailed: (email) =>
      `Bestätigen Sie ${email}: Dieser Server verschickt keine E-Mails, fragen Sie den Betreiber nach dem Link. Bis dahin können Sie sich nur umsehen.`,
  },
  resend: { mailed: 'Erneut senden', unmailed: 'Neuer Link' },
  resent: {
    mailed: 'Wir haben einen neuen Link gesendet',
    unmailed: 'Neuer Link erzeugt. Fragen Sie den Betreiber des Servers danach.',
  },
  nav: { projects: 'Projekte', members: 'Mitglieder' },
};
