// Texts of the layout, of errors, and of shared components, in German.
import { formatWait } from '../../../lib/formats.ts';
import type { Texts } from '../en.ts';
import { describeReason } from './outbound.ts';

export const common: Texts['common'] = {
  notifications: 'Benachrichtigungen',
  undo: 'Rückgängig',
  undone: 'Rückgängig gemacht',
  breadcrumbs: 'Pfad',
  copy: 'Kopieren',
  copied: 'Kopiert',
  copyNamed: (what) => `${what} kopieren`,
  commandLine: 'Befehlszeile',
  useApi: 'API verwenden',
  useProgram: 'Per Befehlszeile',
  loading: 'Wird geladen …',
  loadMore: 'Mehr laden',
  cancel: 'Abbrechen',
  save: 'Speichern',
  saved: 'Gespeichert',
  create: 'Anlegen',
  close: 'Schließen',
  showPassword: 'Passwort anzeigen',
  remove: 'Entfernen',
  done: 'Fertig',
  edit: 'Bearbeiten',
  back: 'Zurück',
  none: 'Keine',
  never: 'Nie',
  optional: 'optional',
  qrCodeOf: (thing) => `QR-Code: ${thing}`,
  showQrCode: 'QR-Code anzeigen',
  hideQrCode: 'QR-Code ausblenden',
  more: 'Mehr',
  typeToConfirm: (text) => `Geben Sie zur Bestätigung „${text}“ ein`,
};

export const errors: Texts['errors'] = {
  requestId: 'Anfrage-ID',
  serverMessage: 'Der Server meldet:',
  openBilling: 'Abrechnung öffnen',
  tryAgain: 'Erneut versuchen',
  setUpFactor: 'Zwei-Faktor-Authentifizierung einrichten',
  back: 'Zurück',
  home: 'Zur Startseite',
  tryAgainIn: (seconds) => `Versuchen Sie es ${formatWait(seconds, 'de')} erneut.`,
  connection: {
    title: 'Server nicht erreichbar',
    text: 'Ihre Eingaben bleiben erhalten. Diese Seite wird automatisch fortgesetzt, sobald die Verbindung wieder besteht.',
    again: 'Ihre Eingaben bleiben erhalten. Versuchen Sie es erneut, sobald die Verbindung wieder besteht.',
  },
  passkeyExists: {
    title: 'Dieses Gerät hat bereits einen Passkey für Ihr Konto',
    text: 'Melden Sie sich damit an, oder fügen Sie einen Passkey auf einem anderen Gerät hinzu.',
  },
  unexpected: {
    title: 'Auf dieser Seite ist ein Fehler aufgetreten',
    text: 'Laden Sie die Seite neu. Wenn das nicht hilft, wenden Sie sich an den Betreiber des Servers.',
  },
  server: {
    title: 'Auf dem Server ist ein Fehler aufgetreten',
    text: 'Der Betreiber findet die Ursache im Protokoll anhand der Anfrage-ID.',
  },
  rejected: { title: 'Anfrage abgelehnt', text: '' },
  statuses: {
    400: { title: 'Ungültige Anfrage', text: '' },
    401: { title: 'Sie sind abgemeldet', text: 'Melden Sie sich erneut an, um fortzufahren.' },
    402: {
      title: 'Die Organisation hat einen offenen Betrag',
      text: 'Bitten Sie einen Admin, ihn zu begleichen. Vorhandenes bleibt lesbar.',
    },
    403: { title: 'Keine Berechtigung', text: 'Wenden Sie sich an einen Admin der Organisation.' },
    404: { title: 'Nicht gefunden', text: 'Es wurde entfernt, oder Sie haben keinen Zugriff darauf.' },
    409: { title: 'Konflikt', text: '' },
    413: { title: 'Zu groß', text: '' },
    429: { title: 'Zu viele Anfragen', text: 'Warten Sie einen Moment.' },
    503: { title: 'Vorübergehend nicht verfügbar', text: 'Warten Sie einen Moment.' },
  },
  codes: {
    billing_suspended: {
      title: 'Die Organisation ist gesperrt',
      text: 'Uploads, Freigaben und andere Änderungen sind wieder möglich, sobald ein Admin den offenen Betrag bezahlt, ebenso Downloads, falls sie gesperrt sind.',
    },
    payment_required: {
      title: 'Zahlungsart erforderlich',
      text: 'Ein Admin der Organisation kann eine hinterlegen.',
    },
    trial_ended: {
      title: 'Die Testphase ist abgelaufen',
      text: 'Uploads und Downloads sind wieder möglich, sobald eine Zahlungsart hinterlegt ist.',
    },
    prepaid_credit_exhausted: {
      title: 'Das Guthaben reicht nicht aus',
      text: 'Uploads und Downloads sind wieder möglich, wenn ein Admin Guthaben auflädt.',
    },
    spend_cap_exceeded: {
      title: 'Das monatliche Ausgabenlimit ist erreicht',
      text: 'Uploads und Downloads sind nächsten Monat wieder möglich, oder wenn das Limit erhöht wird.',
    },
    payment_provider_unavailable: {
      title: 'Der Zahlungsanbieter antwortet nicht',
      text: 'Es wurde nichts abgebucht oder geändert.',
    },
    insufficient_role: {
      title: 'Ihre Rolle erlaubt das nicht',
      text: 'Ein Admin der Organisation kann es tun oder Ihre Rolle ändern.',
    },
    email_not_verified: {
      title: 'Bestätigen Sie Ihre E-Mail-Adresse',
      text: 'Öffnen Sie den Link in der Bestätigungs-E-Mail. Bis dahin haben Sie nur Lesezugriff.',
    },
    mfa_enrollment_required: {
      title: 'Die Organisation verlangt Zwei-Faktor-Authentifizierung',
      text: 'Fügen Sie unter „Ihr Konto“ einen Passkey oder eine Authenticator-App hinzu und kehren Sie dann zurück.',
    },
    already_exists: { title: 'Bereits vorhanden', text: 'Wählen Sie einen anderen Namen.' },
    dependency_exists: { title: 'Wird noch verwendet', text: '' },
    quota_exceeded: { title: 'Limit erreicht', text: '' },
    operation_not_allowed: { title: 'Das ist zurzeit nicht möglich', text: '' },
  },
  unmailedCodes: {
    email_not_verified: {
      title: 'Bestätigen Sie Ihre E-Mail-Adresse',
      text: 'Fragen Sie den Betreiber des Servers nach dem Link. Bis dahin haben Sie nur Lesezugriff.',
    },
  },
  offlineCodes: {
    billing_suspended: {
      title: 'Die Organisation ist gesperrt',
      text: 'Uploads, Freigaben und andere Änderungen sind wieder möglich, sobald der Betreiber des Servers sie entsperrt, ebenso Downloads, falls sie gesperrt sind.',
    },
    payment_required: {
      title: 'Die Organisation ist gesperrt',
      text: 'Uploads, Downloads und Änderungen sind wieder möglich, sobald der Betreiber des Servers sie entsperrt.',
    },
    trial_ended: {
      title: 'Die Testphase ist abgelaufen',
      text: 'Uploads, Downloads und Änderungen sind wieder möglich, sobald der Betreiber des Servers die Organisation entsperrt.',
    },
    prepaid_credit_exhausted: {
      title: 'Das Guthaben reicht nicht aus',
      text: 'Uploads und Downloads sind wieder möglich, wenn der Betreiber des Servers Guthaben hinzufügt.',
    },
  },
  authenticatorRequired: {
    title: 'Die Organisation verlangt eine Authenticator-App',
    text: 'Passkeys akzeptiert sie nicht als Zwei-Faktor-Authentifizierung. Fügen Sie unter „Ihr Konto“ eine Authenticator-App hinzu und kehren Sie dann zurück.',
  },
  reasons: {
    email_sign_in_not_allowed: {
      title: 'Diese Organisation erlaubt die Anmeldung per E-Mail nicht',
      text: 'Legen Sie in Ihrem Konto ein Passwort fest oder fügen Sie einen Passkey hinzu, melden Sie sich ab und damit wieder an.',
    },
  },
  outbound: describeReason,
};

export const shell: Texts['shell'] = {
  skip: 'Zum Inhalt springen',
  menu: 'Menü',
  sidebar: 'Seitenleiste',
  expandSidebar: 'Seitenleiste einblenden',
  topbar: 'Kopfleiste',
  mainNavigation: 'Hauptnavigation',
  organization: 'Organisation',
  switchOrganization: 'Organisation wechseln',
  newOrganization: 'Neue Organisation',
  organizationName: 'Name der Organisation',
  search: 'Springen zu …',
  searchHint: 'Projekt, Build, Kanal, Person oder Seite',
  account: 'Kontomenü',
  language: 'Sprache',
  signOut: 'Abmelden',
  signOutFailed: (reason) => `Abmeldung fehlgeschlagen: ${reason}`,
  documentation: 'Dokumentation',
  apiReference: 'API-Referenz',
  connectionLost:
    'Verbindung unterbrochen. Diese Seite wird automatisch fortgesetzt, sobald die Verbindung wieder besteht.',
  wrongAddress: (address) =>
    `Die Adresse dieses Servers ist ${address}; nur dort können Sie sich anmelden. Öffnen Sie diese Adresse, oder setzen Sie base_url auf die hier verwendete.`,
  sessionExpired: 'Sitzung abgelaufen',
  sessionExpiredText: 'Melden Sie sich erneut an, um fortzufahren. Ihre Eingaben bleiben erhalten.',
  noOrganization: 'Noch keine Organisation',
  noOrganizationInvited: 'Lassen Sie sich von einem Admin einer Organisation einladen.',
  noOrganizationText:
    'Legen Sie eine für Ihr Team an, oder bitten Sie einen Admin einer bestehenden Organisation um eine Einladung.',
  unverified: {
    mailed: (email) =>
      `Bestätigen Sie ${email}: Öffnen Sie den Link in unserer E-Mail. Bis dahin haben Sie nur Lesezugriff.`,
    unmailed: (email) =>
      `Bestätigen Sie ${email}: Dieser Server verschickt keine E-Mails, fragen Sie den Betreiber nach dem Link. Bis dahin haben Sie nur Lesezugriff.`,
  },
  verifyTitle: 'E-Mail-Adresse bestätigen',
  verifyText: {
    mailed: (email) =>
      `Öffnen Sie den Link in unserer E-Mail an ${email}. Danach erscheinen hier Ihre Einladungen und Apps.`,
    unmailed: (email) =>
      `Dieser Server verschickt keine E-Mails. Fragen Sie den Betreiber nach dem Link zur Bestätigung von ${email}. Danach erscheinen hier Ihre Einladungen und Apps.`,
  },
  resend: { mailed: 'E-Mail erneut senden', unmailed: 'Neuen Link erstellen' },
  resent: {
    mailed: 'Neuer Link gesendet',
    unmailed: 'Neuer Link erstellt. Fragen Sie den Betreiber des Servers danach.',
  },
  profile: 'Profil und Anmeldung',
  theme: 'Farbschema',
  themes: { auto: 'System', light: 'Hell', dark: 'Dunkel' },
  locked: {
    askAdmin: 'Wenden Sie sich an einen Admin der Organisation.',
    reasons: {
      suspended: {
        title: 'Die Organisation ist gesperrt',
        text: 'Eine Zahlung ist fehlgeschlagen. Uploads und Änderungen sind erst wieder möglich, wenn sie beglichen ist. Downloads sind höchstens noch für begrenzte Zeit möglich.',
        action: 'Jetzt bezahlen',
      },
      awaiting_payment: {
        title: 'Zahlungsart erforderlich',
        text: 'Uploads, Downloads und Änderungen sind erst wieder möglich, wenn eine Zahlungsart hinterlegt ist.',
        action: 'Zahlungsart hinzufügen',
      },
      grace: {
        title: 'Die Testphase ist abgelaufen',
        text: 'Uploads, Downloads und Änderungen sind erst wieder möglich, wenn eine Zahlungsart hinterlegt ist.',
        action: 'Zahlungsart hinzufügen',
      },
    },
    offline: {
      suspended: {
        title: 'Die Organisation ist gesperrt',
        text: 'Uploads und Änderungen sind erst wieder möglich, wenn der Betreiber des Servers sie entsperrt. Downloads sind höchstens noch für begrenzte Zeit möglich.',
      },
      awaiting_payment: {
        title: 'Die Organisation ist gesperrt',
        text: 'Uploads, Downloads und Änderungen sind erst wieder möglich, wenn der Betreiber des Servers sie entsperrt.',
      },
      grace: {
        title: 'Die Testphase ist abgelaufen',
        text: 'Uploads, Downloads und Änderungen sind erst wieder möglich, wenn der Betreiber des Servers die Organisation entsperrt.',
      },
    },
    unlock: 'Entsperren Sie sie auf dem Server:',
  },
  nav: {
    home: 'Start',
    apps: 'Apps',
    allApps: (count: number) => `Alle ${count} Apps`,
    people: 'Personen',
    members: 'Mitglieder',
    myApps: 'Meine Apps',
    testers: 'Tester',
    groups: 'Testergruppen',
    devices: 'Geräte',
    expiring: 'Läuft ab',
    stores: 'Stores',
    webhooks: 'Webhooks',
    billing: 'Abrechnung',
    audit: 'Protokoll',
    settings: 'Einstellungen',
    system: 'System',
  },
};
