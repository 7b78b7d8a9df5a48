// German texts of emails about builds.
import { germanLifetime, OPEN_LINK_MS } from '../../../lib/lifetimes.ts';
import { type Platform, platformFacts } from '../../../platforms.ts';
import { germanDay, germanTime } from '../../dates.ts';
import { germanQuote, quoteVersion } from '../../names.ts';
import type { BuildMails } from '../texts.ts';

const buildName = (versionName: string, buildNumber: string) =>
  `${quoteVersion(versionName, germanQuote)} (${quoteVersion(buildNumber, germanQuote)})`;

const certificateExpiry: Record<Platform, string> = {
  ios: 'Neue Builds brauchen ein neues Zertifikat, und damit signierte Enterprise-Builds funktionieren nicht mehr.',
  android:
    'Wenn Sie es mit demselben Schlüssel erneuern, lassen sich Updates weiterhin installieren. Mit einem anderen Schlüssel müssen Tester die App zuerst deinstallieren.',
};

export const builds: BuildMails = {
  release: ({ projectName, organizationName, channelName, versionName, buildNumber, isMandatory }) => {
    const build = `${germanQuote(projectName)} ${buildName(versionName, buildNumber)}`;
    return {
      subject: `Neuer Test-Build: ${build}`,
      paragraphs: [
        `${build} von ${germanQuote(organizationName)} ist auf dem Kanal ${germanQuote(channelName)} verfügbar.`,
        ...(isMandatory ? ['Dieses Update ist erforderlich.'] : []),
        `Öffnen Sie den Link auf Ihrem Testgerät. Der Link ist persönlich und läuft in ${germanLifetime(OPEN_LINK_MS)} ab.`,
      ],
      button: 'Installieren',
    };
  },
  deviceReady: ({ projectName, organizationName, channelName, versionName, buildNumber, deviceNames }) => {
    const build = `${germanQuote(projectName)} ${buildName(versionName, buildNumber)}`;
    const [first = '', ...others] = deviceNames;
    const devices = others.length === 0 ? germanQuote(first) : `${germanQuote(first)} und ${others.length} weitere`;
    const waited = others.length === 0 ? 'Das Gerät hat' : 'Die Geräte haben';
    return {
      subject: `Bereit zur Installation: ${build}`,
      paragraphs: [
        `${build} von ${germanQuote(organizationName)} enthält ${devices}. ${waited} auf einen Build auf dem Kanal ${germanQuote(channelName)} gewartet.`,
        'Öffnen Sie den Link auf dem Gerät und tippen Sie auf „Installieren“.',
      ],
      button: 'Installieren',
    };
  },
  retention: (baseUrl, { organizationName, days, deletedFrom, total, projects, moreProjects }) => {
    const organization = germanQuote(organizationName);
    const count = total === 1 ? 'Ein Build' : `${total} Builds`;
    const verb = total === 1 ? 'wird' : 'werden';
    const reason =
      days === null
        ? 'Die Regeln der Kanäle sehen keine längere Aufbewahrung vor.'
        : `Builds werden ${days === 1 ? 'einen Tag' : `${days} Tage`} aufbewahrt.`;
    const others =
      moreProjects === 1
        ? 'Ein weiteres Projekt hat solche Builds.'
        : `${moreProjects} weitere Projekte haben solche Builds.`;
    return {
      subject: `${count} von ${organization} ${verb} gelöscht`,
      paragraphs: [
        `${count} von ${organization} unter ${baseUrl} ${verb} ab dem ${germanDay(deletedFrom)} gelöscht. ${reason}`,
        ...projects.map(({ name, versions, more }) => {
          const listed = versions.map((version) => quoteVersion(version, germanQuote)).join(', ');
          return `Projekt ${germanQuote(name)}: ${listed}${more === 0 ? '' : ` und ${more} weitere`}.`;
        }),
        ...(moreProjects === 0 ? [] : [others]),
      ],
      button: projects.length === 1 ? 'Builds anzeigen' : 'Taxiway öffnen',
      closing:
        'Um einen Build zu behalten, heften Sie ihn auf seiner Seite an. Angeheftete Builds und solche, die auf einem Kanal aktuell sind, werden nicht gelöscht.',
    };
  },
  expiry: (baseUrl, { kind, name, platform, organizationName, expiresAt, places, days, more }) => {
    const when = days < 1 ? 'in weniger als einem Tag' : days === 1 ? 'in einem Tag' : `in ${days} Tagen`;
    const what =
      kind === 'profile'
        ? `Bereitstellungsprofil${name === null ? '' : ` ${germanQuote(name)}`}`
        : `${platformFacts[platform].name}-Signaturzertifikat`;
    const effect =
      kind === 'profile'
        ? 'Danach kann iOS Builds, die es enthalten, weder installieren noch öffnen.'
        : certificateExpiry[platform];
    return {
      subject: `Das ${what} läuft ${when} ab`,
      paragraphs: [
        `Das ${what} von ${germanQuote(organizationName)} unter ${baseUrl} läuft ${when} ab, am ${germanTime(expiresAt)}. ${effect}`,
        ...places.map(
          ({ projectName, channelName, versionName, buildNumber }) =>
            `${germanQuote(projectName)} ${buildName(versionName, buildNumber)} ist auf dem Kanal ${germanQuote(channelName)} aktuell.`,
        ),
        ...(more > 0 ? [`Und ${more} weitere.`] : []),
      ],
      button: 'Anzeigen, was abläuft',
      closing: `Erneuern Sie es, erstellen Sie damit einen Build und geben Sie ihn auf ${places.length + more === 1 ? 'diesem Kanal' : 'diesen Kanälen'} frei.`,
    };
  },
};
