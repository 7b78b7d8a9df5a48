// The states of a release that apps report (docs/specification/in-app-updates.md#updates).
export const reportStates = ['downloaded', 'installed', 'launched', 'failed'] as const;
