// Texts about the audit trail.

export const audit = {
  title: 'Audit',
  hint: 'Days are in UTC.',
  period: 'Period',
  periods: { day: 'One day', range: 'Range of days' },
  day: 'Day',
  from: 'First day',
  to: 'Last day',
  invalidRange: 'The last day must not be before the first day.',
  event: 'Event',
  type: 'Type',
  actor: 'Actor',
  allEvents: 'All events',
  allTypes: 'All types',
  allActors: 'All actors',
  search: 'Search events',
  shownCount: (shown: number, all: number) =>
    shown === all ? (all === 1 ? '1 event' : `${all} events`) : `${shown} of ${all} events`,
  csv: 'CSV',
  csvLabel: 'Download the shown events as CSV',
  truncatedTitle: 'Older events not shown',
  truncated: (count: number) =>
    `Only the latest ${count} events of the period are shown and included in the CSV. Choose a shorter period to see the others.`,
  truncatedDay: (count: number) =>
    `Only the latest ${count} events of the day are shown and included in the CSV. To see more, switch to a range and choose this day as first and last day.`,
  noneTitle: 'No events',
  none: 'No events in this period. Choose another one.',
  noMatches: 'No events match the filters.',
  clearFilters: 'Clear filters',
  showMore: 'Show more',
  actorKinds: {
    developer: '',
    personal_access_token: 'personal access token',
    project_access_token: 'project access token',
    system: '',
  },
  targetId: 'target ID',
  exportAll: 'Export all events on the server',
};
