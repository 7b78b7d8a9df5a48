// Systemd's unit files: quoting, and what confines our services.

/** Lines of [Service]: the service has no privileges and can write only to the folders of its ReadWritePaths=. */
export const CONFINEMENT = `NoNewPrivileges=true
CapabilityBoundingSet=
PrivateTmp=true
PrivateDevices=true
ProtectSystem=strict
ProtectHome=read-only
ProtectClock=true
ProtectControlGroups=true
ProtectHostname=true
ProtectKernelLogs=true
ProtectKernelModules=true
ProtectKernelTunables=true
ProtectProc=invisible
LockPersonality=true
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
RestrictNamespaces=true
RestrictRealtime=true
RestrictSUIDSGID=true
SystemCallArchitectures=native
`;

/** Quotes a word of a setting such as ReadWritePaths=, without specifiers (systemd.syntax, "Quoting"). */
export function quoteForSystemd(word: string): string {
  const literal = word.replaceAll('%', '%%');
  return /^[\w@%+=:,./$-]+$/.test(literal) ? literal : `"${literal.replace(/[\\"]/g, '\\$&')}"`;
}

/** Quotes the words of a command, where variables are replaced, too (systemd.service, "Command lines"). */
export function quoteCommand(words: readonly string[]): string {
  return words.map((word) => quoteForSystemd(word.replaceAll('$', '$$$$'))).join(' ');
}
