// Reasons why a request to a URL failed, in German.
import type { AddressKind } from '../../../outbound/addresses.ts';
import { type OutboundReason, readReason } from '../../../outbound/reasons.ts';

type Values = Record<string, string>;

function describeAddress({ kind = '', setting }: Values): string {
  const name = Object.hasOwn(kinds, kind) ? kinds[kind as AddressKind] : kind;
  return `Adressen dieser Art lehnt der Server${setting ? ` ohne ${setting} = true` : ''} ab: ${name}`;
}

/** The texts by reason. */
export const outboundTexts: Record<OutboundReason, (values: Values) => string> = {
  not_reached: () => 'Nicht erreicht',
  closed: () => 'Die Verbindung wurde ohne Antwort geschlossen',
  refused: () => 'Die Verbindung wurde abgelehnt',
  host_unreachable: () => 'Der Rechner ist nicht erreichbar',
  network_unreachable: () => 'Das Netz ist nicht erreichbar',
  timed_out: () => 'Zeitüberschreitung beim Verbinden',
  no_address: () => 'Der Name hat keine Adresse',
  no_name_server: () => 'Die Nameserver haben nicht geantwortet',
  tls_failed: () => 'Der TLS-Handshake ist fehlgeschlagen',
  self_signed: () => 'Das Zertifikat ist selbst signiert',
  untrusted: () => 'Das Zertifikat stammt nicht von einer vertrauten Stelle',
  certificate_expired: () => 'Das Zertifikat ist abgelaufen',
  other_name: () => 'Das Zertifikat gilt für einen anderen Namen',
  not_http: () => 'Die Antwort ist kein HTTP',
  too_many_headers: () => 'Die Antwort hat zu viele Header',
  too_many_interim: () => 'Zu viele vorläufige Antworten',
  no_response: ({ seconds }) => `Keine Antwort innerhalb von ${seconds} s`,
  no_complete_response: ({ seconds }) => `Keine vollständige Antwort innerhalb von ${seconds} s`,
  too_large: ({ kibibytes }) => `Die Antwort ist größer als ${kibibytes} KiB`,
  redirected: ({ status }) => `Antwort mit Status ${status}; Weiterleitungen wird nicht gefolgt`,
  responded: ({ status }) => `Antwort mit Status ${status}`,
  not_prepared: () => 'Der Server konnte die Anfrage nicht vorbereiten',
  address_forbidden: describeAddress,
  address_not_allowed: describeAddress,
  socket_forbidden: () => 'Sockets dieses Rechners lehnt der Server ab',
  port_zero: () => 'Port 0 ist ungültig',
  port_reserved: ({ port }) => `Port ${port} ist für ein anderes Protokoll reserviert`,
  failed: ({ code }) => `Fehlgeschlagen: ${code}`,
};

const kinds: Record<AddressKind, string> = {
  public: 'öffentlich',
  'private network': 'privates Netz',
  loopback: 'Loopback',
  'link-local': 'Link-Local',
  'instance metadata': 'Metadaten der Instanz',
  unspecified: 'unspezifisch',
  multicast: 'Multicast',
  reserved: 'reserviert',
};

/** Returns a reason in German. One that is unknown to this version is shown as the server sends it. */
export function describeReason(text: string): string {
  const known = readReason(text);
  return known === undefined ? text : outboundTexts[known.reason](known.values);
}
