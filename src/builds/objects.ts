// The keys under which the objects of builds are stored.

// All keys come from the pending upload's id, so that a complete that broke off finds again what it did.
export const pendingKey = (pendingUploadId: string) => `pending/${pendingUploadId}`;
export const iconKey = (pendingUploadId: string) => `builds/${pendingUploadId}/icon`;
export const packageKey = (pendingUploadId: string, platform: 'ios' | 'android') =>
  `builds/${pendingUploadId}/package.${platform === 'ios' ? 'ipa' : 'apk'}`;

/** The id of the pending upload whose package has this key, before or after complete; undefined for other objects. */
export function uploadOfPackage(key: string): string | undefined {
  const [, id] =
    /^(?:pending\/([0-9a-f-]{36})|builds\/([0-9a-f-]{36})\/package\.(?:ipa|apk))$/.exec(key)?.filter(Boolean) ?? [];
  return id;
}
