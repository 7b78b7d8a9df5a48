// The dialogs that iOS shows when it downloads a profile, word for word, and descriptions of the drawings for people who can't see them.

export interface ProfileDialogs {
  ask: { label: string; question: string; cancel: string; go: string };
  downloaded: { label: string; title: string; row: string };
}
