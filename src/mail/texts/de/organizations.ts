// German texts of emails about organizations and their rules, and of the test email of the server.
import { germanDay } from '../../dates.ts';
import { germanQuote } from '../../names.ts';
import type { OrganizationMails, SsoChange } from '../texts.ts';

const ssoChanges: Record<SsoChange, (organization: string) => string> = {
  created: (organization) => `Für ${organization} wurde ein Identitätsanbieter eingerichtet`,
  replaced: (organization) => `Der Identitätsanbieter von ${organization} wurde ersetzt`,
  enabled: (organization) => `Single Sign-on wurde für ${organization} eingeschaltet`,
  domain_verified: (organization) => `Eine Domain von ${organization} wurde bestätigt`,
};

const inWords = (role: string) => role.replaceAll('_', ' + ');

export const organizations: OrganizationMails = {
  memberInvitation: ({ organizationName, projectName, projectNames, inviterName, role, expiresAt }) => {
    const organization = germanQuote(organizationName);
    const place = projectName === null ? organization : `dem Projekt ${germanQuote(projectName)} von ${organization}`;
    const invited = inviterName === null ? 'Sie sind eingeladen' : `${germanQuote(inviterName)} lädt Sie ein`;
    return {
      subject: `Einladung zu ${organization}`,
      paragraphs: [
        `${invited}, ${place} auf Taxiway beizutreten, mit der Rolle: ${inWords(role)}.`,
        ...(projectNames.length === 0 ? [] : [`Sie erhalten Zugriff auf ${projectNames.map(germanQuote).join(', ')}.`]),
        `Öffnen Sie den Link vor dem ${germanDay(expiresAt)}, um beizutreten. Er ist nur für Sie: Wer ihn hat, kann ein Konto mit dieser E-Mail-Adresse anlegen.`,
      ],
      button: 'Einladung ansehen',
      closing: 'Wenn Sie keine Einladung erwarten, ignorieren Sie diese E-Mail.',
    };
  },
  ssoChanged: (baseUrl, { change, organizationName }) => {
    const what = ssoChanges[change](germanQuote(organizationName));
    return {
      subject: what,
      paragraphs: [
        `${what} (${baseUrl}). Der Identitätsanbieter kann jedes Mitglied anmelden, dessen E-Mail-Adresse zu einer bestätigten Domain gehört.`,
      ],
      closing:
        'Wenn das kein Admin der Organisation war, schalten Sie Single Sign-on aus und prüfen Sie das Audit-Protokoll.',
    };
  },
  storageUnreachable: (baseUrl, { organizationName, account, container, reason }) => {
    const organization = germanQuote(organizationName);
    return {
      subject: `Der Speicher von ${organization} ist nicht verwendbar`,
      paragraphs: [
        `Taxiway unter ${baseUrl} kann den Container ${container} des Speicherkontos ${account} nicht verwenden, in dem ${organization} Builds speichert. Solange das so ist, lassen sich Builds weder hochladen noch herunterladen oder installieren. Alles andere funktioniert, und es wird nichts gelöscht.`,
        `Die letzte Antwort war: ${reason}`,
      ],
      closing:
        'Prüfen Sie, ob der Container existiert und die Anwendung ihre Rolle noch hat. Die Seite „Speicher“ der Organisation hat eine Prüfung, die zeigt, was fehlt.',
    };
  },
  storageReachable: (baseUrl, { organizationName, account, container }) => {
    const organization = germanQuote(organizationName);
    return {
      subject: `Der Speicher von ${organization} ist wieder verwendbar`,
      paragraphs: [
        `Taxiway unter ${baseUrl} kann den Container ${container} des Speicherkontos ${account} wieder verwenden. Builds von ${organization} lassen sich hochladen, herunterladen und installieren.`,
      ],
    };
  },
  mfaReminder: (baseUrl, { organizationName, graceEndsAt, passkeySatisfies }) => {
    const date = germanDay(graceEndsAt);
    return {
      subject: `Richten Sie die Zwei-Faktor-Authentifizierung vor dem ${date} ein`,
      paragraphs: [
        `Die Organisation ${germanQuote(organizationName)} unter ${baseUrl} verlangt Zwei-Faktor-Authentifizierung (2FA), und Ihr Konto hat kein Verfahren, das sie akzeptiert.`,
        `Richten Sie vor dem ${date} eines ein. Danach können Sie die Organisation erst wieder öffnen, wenn Sie das getan haben.`,
      ],
      button: 'Konto öffnen',
      closing: passkeySatisfies
        ? 'In den Einstellungen Ihres Kontos können Sie eine Authenticator-App oder einen Passkey hinzufügen.'
        : 'In den Einstellungen Ihres Kontos können Sie eine Authenticator-App hinzufügen. Passkeys akzeptiert die Organisation dafür nicht.',
    };
  },
  auditRetention: (baseUrl, { organizationName, days, removedFrom }) => {
    const organization = germanQuote(organizationName);
    return {
      subject: `Audit-Ereignisse von ${organization} werden gelöscht`,
      paragraphs: [
        `Ab dem ${germanDay(removedFrom)} werden Audit-Ereignisse von ${organization} unter ${baseUrl}, die älter als ${days === 1 ? 'ein Tag' : `${days} Tage`} sind, täglich gelöscht.`,
      ],
      closing:
        'Exportieren Sie die Ereignisse, die Sie behalten möchten: im Audit-Protokoll der Web-App oder mit „taxiway audit export“ auf dem Server.',
    };
  },
  tokenOwner: ({ projectName, organizationName, owner: ownerName, wasTakenOver, tokens, total }) => {
    const project = germanQuote(projectName);
    const owner = germanQuote(ownerName);
    const more = total - tokens.length;
    return {
      subject: `Zugriffstokens von ${project} brauchen einen neuen Eigentümer`,
      paragraphs: [
        wasTakenOver === true
          ? `Das Konto ${owner} wurde von der Person übernommen, der die E-Mail-Adresse gehört. Jemand anderes kennt möglicherweise die Geheimnisse der Tokens. Deshalb funktionieren diese Tokens des Projekts ${project} von ${germanQuote(organizationName)} nicht mehr, und Pipelines, die sie verwenden, können fehlschlagen:`
          : `${owner} hat keine Rolle mehr im Projekt ${project} von ${germanQuote(organizationName)} oder eine niedrigere. Zugriffstokens eines Projekts haben nie mehr Berechtigungen als ihr Eigentümer. Deshalb können Pipelines, die diese Tokens verwenden, fehlschlagen:`,
        ...tokens.map(({ name, role, acting }) => {
          const change = acting === null ? 'funktioniert nicht mehr' : `hat nur noch die Rolle ${inWords(acting)}`;
          return `${germanQuote(name)} (${inWords(role)}) ${change}.`;
        }),
        ...(more > 0 ? [`Und ${more} weitere.`] : []),
        'Als Admin des Projekts können Sie ein Token mit einem Klick übernehmen. Sein Geheimnis bleibt gleich, sonst muss also nichts geändert werden.',
      ],
      button: 'Tokens prüfen',
      closing: `Wenn ${owner} das Geheimnis eines Tokens kennt und es nicht mehr verwenden soll, erneuern oder widerrufen Sie das Token außerdem.`,
    };
  },
  test: (baseUrl) => ({
    subject: 'Test-E-Mail',
    paragraphs: [`${baseUrl} kann E-Mails an diese Adresse senden.`],
    closing: 'Sie erhalten diese E-Mail, weil Sie sie von der Checkliste zur Einrichtung gesendet haben.',
  }),
};
