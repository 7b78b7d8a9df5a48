// German texts of the page with the clients of the server.
import type { CliTexts } from '../cli-texts.ts';

export const cli: CliTexts = {
  title: 'Vom Terminal hochladen',
  intro: (version) =>
    `Diese Programme gehören zur Version ${version}, die auf diesem Server läuft. Jedes liest ein Zugriffstoken aus TAXIWAY_TOKEN.`,
  uploader: {
    title: 'Shell-Skript',
    text: 'Lädt ein Paket hoch und gibt es in einem Kanal frei. Es braucht nur curl und läuft in jeder POSIX-Shell.',
  },
  client: {
    title: 'JavaScript-Client',
    text: 'Alle Client-Befehle in einer Datei, für Node.js ab Version 18. Er warnt, wenn der Server eine andere Version hat.',
  },
  executables: {
    title: 'Ausführbare Dateien',
    text: 'Dieselben Befehle ohne Node.js. Die ausführbare Datei ist zugleich der Server.',
    none: 'Auf diesem Server sind keine ausführbaren Dateien hinterlegt.',
  },
  checksums: {
    title: 'Prüfsummen',
    text: 'Die SHA-256-Prüfsummen aller Dateien, für „sha256sum --check --ignore-missing“.',
  },
  size: 'Größe',
  pending: 'Die Prüfsumme wird gerade berechnet. Laden Sie die Seite gleich neu.',
  download: (name) => `${name} herunterladen`,
};
