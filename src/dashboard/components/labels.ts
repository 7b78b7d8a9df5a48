// Labels of builds: what a text with several labels contains, and what adding and removing some leaves.

const keyOf = (label: string): string => label.toLowerCase();

/** Returns the labels of a text that separates them by commas, each once in any case. */
export function readLabels(text: string): string[] {
  const labels = text
    .split(',')
    .map((label) => label.trim())
    .filter((label) => label !== '');
  return addLabels([], labels);
}

/** Returns the labels with others. Labels that are already there in another case stay as they are. */
export function addLabels(labels: readonly string[], added: readonly string[]): string[] {
  const all = [...labels];
  for (const label of added) {
    if (!all.some((other) => keyOf(other) === keyOf(label))) all.push(label);
  }
  return all;
}

/** Returns the labels without others, in any case. */
export function removeLabels(labels: readonly string[], removed: readonly string[]): string[] {
  const keys = new Set(removed.map(keyOf));
  return labels.filter((label) => !keys.has(keyOf(label)));
}

/** Returns the labels of several builds, each once, sorted. */
export function listLabels(builds: readonly { labels: readonly string[] }[]): string[] {
  return builds
    .reduce<string[]>((all, { labels }) => addLabels(all, labels), [])
    .sort((one, other) => one.localeCompare(other));
}
