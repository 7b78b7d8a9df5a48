// Texts of the page about plan, balance and payments.

export const billing = {
  title: 'Billing',
  /** The state in one sentence. */
  states: {
    suspended:
      'Suspended: a payment failed. Uploads and changes are rejected until it is paid. Downloads continue for a limited time at most.',
    awaiting_payment: 'Awaiting payment: uploads, downloads and changes are rejected until a payment method is added.',
    grace: 'The trial has expired: uploads, downloads and changes are rejected until a payment method is added.',
    retrying: 'A payment failed and will be retried. The organization is not locked yet. Pay now to settle it.',
    trial: (day: string) =>
      `The trial runs until ${day}. No payment method is needed until then; storage, downloads and members are paid for from the balance.`,
    trialOffline: (day: string) =>
      `The trial runs until ${day}. To continue after that, contact the operator of this server. Storage, downloads and members are paid for from the balance.`,
    active: 'The plan is paid.',
    open: 'The organization is not locked. Uploads and downloads can still be rejected if there is no credit or the spend cap is reached.',
  },
  /** What rejects uploads and downloads although nothing is locked. The amount is what each upload reserves. */
  gates: {
    credit: () => 'No credit is available: uploads and downloads are rejected until credit is added.',
    cap: (_amount: string, isOperators: boolean) =>
      `The monthly spend cap is reached: uploads and downloads are rejected until next month, or until ${isOperators ? "the server's operator raises the cap" : 'the cap is raised'}.`,
    uploadCredit: (amount: string) =>
      `Less than the ${amount} that each upload reserves is available: uploads can be rejected until credit is added.`,
    uploadCap: (amount: string, isOperators: boolean) =>
      `Less than the ${amount} that each upload reserves is left of the monthly spend cap: uploads can be rejected until next month, or until ${isOperators ? "the server's operator raises the cap" : 'the cap is raised'}.`,
  },
  downloadsUntil: (day: string) => `Existing builds can be downloaded until ${day}.`,
  downloadsEnded: (day: string) => `Downloads have been rejected since ${day}.`,
  memberHint: 'Amounts are visible to admins of the organization.',
  balance: 'Balance',
  available: 'Available',
  reserved: 'Reserved',
  reservedHint: 'For uploads, downloads and refunds that are in progress.',
  monthToDate: 'Used this month',
  cap: 'Monthly spend cap',
  capHint: 'Admins set it with the API.',
  ceilingHint: 'Set by the operator of this server.',
  noCap: 'None',
  meters: {
    title: 'This month',
    meter: 'Meter',
    usage: 'Usage',
    cost: 'Cost',
    storage: 'Storage',
    downloads: 'Downloads',
    seats: 'Members',
    gibMonths: (amount: string) => `${amount} GiB-months`,
    gib: (amount: string) => `${amount} GiB`,
    seatMonths: (amount: string) => `${amount} member-months`,
    total: 'Total',
  },
  days: {
    title: 'Cost by day',
    stored: 'Storage and members',
    downloads: 'Downloads',
    total: (amount: string) => `${amount} this month`,
    none: 'No costs this month yet.',
  },
  largest: {
    title: 'What takes storage',
    hint: 'Deleted builds are no longer charged.',
    projects: 'Largest projects',
    builds: 'Largest builds',
    released: 'Released',
    none: 'No builds yet.',
  },
  plan: 'Plan and payment method',
  planName: 'Plan',
  price: 'Price',
  plans: { team: 'Team', business: 'Business' },
  perMonth: (amount: string) => `${amount} per month`,
  paidUntil: 'Paid until',
  card: 'Payment method',
  hasCard: 'On file',
  hasNoCard: 'None',
  addCard: 'Add payment method',
  changeCard: 'Change payment method',
  payNow: 'Pay now',
  upgrade: 'Upgrade to Business',
  comingSoon: 'Business – coming soon',
  downgrade: 'Change to Team',
  changeTitle: (plan: string) => `Change the plan to ${plan}?`,
  /** What changes with the plan. 0 days are for ever. */
  effects: {
    charged: (price: string) =>
      `Business costs ${price} per month. The difference for the current period is charged to your payment method immediately.`,
    nextPeriod: (price: string) => `Team costs ${price} per month, from the next period on.`,
    builds: (days: number, before: number) =>
      `Builds are kept for ${days === 1 ? '1 day' : `${days} days`} instead of ${before === 0 ? 'forever' : before}. Older ones that nothing else keeps are deleted, a week after an email about them.`,
    audit: (days: number, before: number) =>
      `Audit events are kept for ${days === 1 ? '1 day' : `${days} days`} instead of ${before === 0 ? 'forever' : before}.`,
    sso: "Single sign-on can't be set up or changed anymore, only turned off.",
  },
  noPaymentPage: {
    title: 'The payment provider has no page for this payment',
    text: 'Nothing was charged or changed. Ask the operator of this server to set one up.',
  },
  changedTo: (plan: string) => `Plan changed to ${plan}`,
  offline: 'Payments are arranged with the operator of this server.',
  topUp: 'Add credit',
  amount: 'Amount',
  amountAtLeast: (amount: string) => `Must be at least ${amount}`,
  amountAtMost: (amount: string) => `Must be at most ${amount}`,
  amountInvalid: (example: string) => `Enter an amount such as ${example}`,
  ledger: 'Credits and refunds',
  noEntries: 'No credits or refunds yet.',
  kinds: { topup: 'Credit', refund: 'Refund' },
  sources: { operator: 'Operator', paddle: 'Online payment' },
  date: 'Date',
  type: 'Type',
  source: 'Source',
  note: 'Note',
  fee: (amount: string) => `Fee: ${amount}`,
};
