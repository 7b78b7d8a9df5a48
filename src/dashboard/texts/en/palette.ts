// Texts of the command palette and of the keyboard shortcuts.

export const palette = {
  pages: 'Pages',
  pagesOf: (project: string) => `In ${project}`,
  searching: 'Searching…',
  noResults: (text: string) =>
    `No results for “${text}”. You can search for projects, channels, builds, people and pages.`,
  shortcutsTitle: 'Keyboard shortcuts',
  shortcuts: {
    submit: 'Save a form or confirm a dialog',
    undo: 'Undo what a message reports',
    palette: 'Jump anywhere',
    keys: 'Show keyboard shortcuts',
    skip: 'Skip to content, at the top of each page',
    move: 'Move through lists and menus',
    close: 'Close dialog or menu',
  },
  or: 'or',
  /** `words` are search terms besides the label. */
  pageNames: {
    projects: { label: 'Projects', words: 'home start apps' },
    devices: { label: 'Devices', words: 'phones udid enroll register' },
    stores: { label: 'Stores', words: 'app store connect google play apple connections quota publish' },
    testers: { label: 'Testers', words: 'invite people' },
    groups: { label: 'Tester groups', words: 'teams' },
    webhooks: { label: 'Webhooks', words: 'deliveries slack teams discord mattermost google chat notifications' },
    members: { label: 'Members', words: 'people roles invite team' },
    audit: { label: 'Audit', words: 'trail history log csv events' },
    expiring: { label: 'Expiring', words: 'profiles certificates expire' },
    settings: { label: 'Settings', words: 'organization name icon delete' },
    security: { label: 'Security', words: 'two-factor 2fa mfa policy settings' },
    storage: { label: 'Storage', words: 'azure container location size usage settings' },
    sso: { label: 'Single sign-on', words: 'saml sso identity provider domain settings' },
    myApps: { label: 'My apps', words: 'install test releases' },
    me: {
      label: 'Your account',
      words: 'profile password passkey sessions tokens email notifications export delete activity two-factor 2fa',
    },
    system: { label: 'System', words: 'operator health version disk jobs backup cleanup' },
    channels: { label: 'Channels', words: 'project releases' },
    builds: { label: 'Builds', words: 'versions uploads' },
    feedback: { label: 'Feedback', words: 'bugs reports messages' },
    projectTesters: { label: 'Project testers', words: 'invite people' },
    sdk: { label: 'In-app updates', words: 'sdk apps keys installs' },
    tokens: { label: 'Project access tokens', words: 'ci tokens keys' },
    projectSettings: { label: 'Project settings', words: 'name icon members delete' },
  },
};
