// Words about the audit trail.

export const audit = {
  title: 'Audit',
  hint: 'Who changed what in the organization, and when. Days are in UTC.',
  period: 'Period',
  periods: { day: 'One day', range: 'Range of days' },
  day: 'Day',
  from: 'First day',
  to: 'Last day',
  wrongOrder: 'The last day lies before the first.',
  event: 'Event',
  type: 'Of what',
  actor: 'Who',
  address: 'Address',
  details: 'Details',
  when: 'When',
  all: 'All',
  search: 'Find in the details',
  count: (shown: number, all: number) =>
    shown === all ? (all === 1 ? '1 event' : `${all} events`) : `${shown} of ${all} events`,
  csv: 'CSV',
  csvLabel: 'Save what is shown as CSV',
  truncatedTitle: 'Older events are left out',
  truncated: (count: number) =>
    `The newest ${count} events of the period are shown, and the CSV holds no more. Choose fewer days to see the others.`,
  truncatedDay: (count: number) =>
    `The newest ${count} events of the day are shown, and the CSV holds no more. A range holds more: choose the day as its first and its last.`,
  noneTitle: 'Nothing happened',
  none: 'There are no events in these days. Choose others.',
  nothingMatches: 'No event of these days matches the filters.',
  clear: 'Clear the filters',
  showMore: 'Show more',
  system: 'System',
  kinds: {
    developer: '',
    personal_access_token: 'personal access token',
    project_access_token: 'project access token',
    system: '',
  },
  identifier: 'id of what it happened to',
  command: 'Whole trails are exported on the server, without a limit:',
};
