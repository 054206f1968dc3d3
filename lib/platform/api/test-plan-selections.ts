export const ORDERS = ['invoiceDate', 'dueDate', 'totalAmount', 'balanceAmount'].flatMap((by) => [
  `orderBy=${by}%20asc`,
  `orderBy=${by}%20desc`,
])
/** Filters that each match some ten of the invoices, the oldest ones. */
const FILTERS = [
  'platform:rare',
  'issuer:Rare',
  'currency:EUR',
  'billingProfile:emea',
  'status:PAST%20DUE',
  'status:OPEN',
  'dueDate:1580688000000',
  'state:draft',
  'state:voided',
]
const SEARCHES = ['RARE-0004', 'are-00', 'rare', 'RA', 'IN-000', 'IN', 'Nothing', 'Resale', 'X0000']
export const RANGE = 'minCreationTime=1577836800&maxCreationTime=1578268800'
export const AMOUNTS = ['minAmount=4000', 'minAmount=4000.5&maxAmount=4010&filter=currency:EUR']
export const DUE = 'minDueDate=1580515200&maxDueDate=1581465600'
export const SELECTIONS = [
  '',
  ...FILTERS.map((filter) => `filter=${filter}`),
  ...SEARCHES.map((search) => `search=${search}`),
  RANGE,
  ...AMOUNTS,
  DUE,
]

/** Selections that need all assets of a customer: a sort order without an index, or a filter that no asset passes. */
export const OF_ALL_ASSETS = [
  'orderBy=name',
  'orderBy=renewal%20desc',
  'orderBy=idle%20desc',
  'orderBy=name&view=full',
  'filter=status:SUSPENDED',
  'filter=plan:trial',
  'filter=usage:full',
  'filter=domain:nobody.example',
  'minRenewalTime=1798761600',
]
