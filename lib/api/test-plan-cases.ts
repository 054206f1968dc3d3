const ORDERS = ['invoiceDate', 'dueDate', 'totalAmount', 'balanceAmount'].flatMap((by) => [
  `orderBy=${by}%20asc`,
  `orderBy=${by}%20desc`,
])
/** Each finds some ten of the invoices, those that are oldest. */
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
const RANGE = 'minCreationTime=1577836800&maxCreationTime=1578268800'
const AMOUNTS = ['minAmount=4000', 'minAmount=4000.5&maxAmount=4010&filter=currency:EUR']
const DUE = 'minDueDate=1580515200&maxDueDate=1581465600'
const SELECTIONS = [
  '',
  ...FILTERS.map((filter) => `filter=${filter}`),
  ...SEARCHES.map((search) => `search=${search}`),
  RANGE,
  ...AMOUNTS,
  DUE,
]

/** They change a provider, a domain, a token or a group, of which a customer has a few. */
const OF_FEW =
  'addIdentityProvider changeIdentityProvider removeIdentityProvider addSignOnDomain checkSignOnDomain removeSignOnDomain setPasswordSignIn issueDirectoryToken revokeDirectoryToken mapDirectoryGroup unmapDirectoryGroup'

/** They change one member or group, by its id. */
const OF_ONE =
  'createScimUser replaceScimUser patchScimUser deleteScimUser createScimGroup replaceScimGroup patchScimGroup deleteScimGroup'

/** By the contract's name: what is asked after `?`, or instead of `{…}`. A new contract needs its line here. */
export const CASES: Record<string, readonly string[]> = {
  listInvoices: [
    ...SELECTIONS,
    ...ORDERS,
    'search=are-00&orderBy=dueDate',
    'search=IN-000&orderBy=totalAmount',
    'pageToken',
  ],
  exportInvoices: ['', 'lines=true&search=are-00', 'search=are-00', 'filter=issuer:Rare'],
  // The statements of a workbook are those of the CSV file, whose rows can be counted.
  exportInvoicesXlsx: [],
  summarizeInvoices: [
    '',
    'filter=platform:rare',
    'filter=status:PAST%20DUE',
    'search=are-00',
    'search=Resale',
    'search=Nothing',
    RANGE,
    'filter=currency:EUR',
    `filter=status:OPEN&${DUE}`,
    ...AMOUNTS,
  ],
  readInvoice: ['RARE-0004', 'nothing'],
  listCharges: [
    'RARE-0004',
    'RARE-0004?line=L-1',
    'RARE-0004?line=L-2',
    'RARE-0004?withoutLine=true',
    'nothing',
  ],
  exportCharges: ['RARE-0004'],
  exportChargesXlsx: [],
  readInvoiceFile: ['RARE-0004'],
  exportInvoiceFiles: ['ids=RARE-0004', 'search=RARE-0004'],
  compareInvoices: ['from=RARE-0004&to=RARE-0005'],
  exportComparison: ['from=RARE-0004&to=RARE-0005'],
  exportComparisonXlsx: [],
  explainMonth: ['month=2026-10'],
  exportExplanation: ['month=2026-10'],
  exportExplanationXlsx: [],
  readBilledProducts: ['product=Usage&minCreationTime=1790812800000'],
  readStatement: ['', 'filter=currency:EUR', 'filter=billingProfile:default'],
  exportStatement: [''],
  exportStatementXlsx: [],
  listAssets: ['', 'filter=type:cloud-platform', 'view=full', 'search=suite-9', 'search=suite-4999'],
  exportAssets: [''],
  exportAssetsXlsx: [],
  summarizeAssets: [''],
  readAsset: ['cloud-platform-1'],
  readFromVendor: [],
  listBillingProfiles: [''],
  readBillingProfile: ['default'],
  setProfilePosting: [],
  readAssetPosting: ['cloud-platform-1'],
  setAssetPosting: [],
  listLicenseChanges: ['', 'filter=state:REJECTED', 'filter=asset:workspace-suite-2'],
  readLicenseChange: ['change-7'],
  acknowledgeLicenseChange: [],
  setQuantity: ['workspace-suite-2'],
  listAuditEvents: ['', 'filter=kind:access', 'filter=actor:M1'],
  exportAuditEvents: [''],
  exportAuditEventsXlsx: [],
  validateKey: [''],
  changePassword: [],
  listSessions: ['', 'whose=all'],
  listMatches: ['search=suite-4999', 'search=RARE'],
  endSession: [],
  listMembers: ['', 'filter=state:invited', 'search=admin'],
  readMember: ['nobody'],
  inviteMember: [],
  changeMember: [],
  makeMemberLink: [],
  withdrawInvitation: [],
  // Of sessions alone, by the ids of a member and of their person.
  listFactors: [],
  beginFactor: [],
  addFactor: [],
  removeFactor: [],
  renewCodes: [],
  askPasskey: [],
  confirmPasskey: [],
  readFactorDemand: [''],
  demandFactor: [],
  resetFactors: [],
  readSignOn: [''],
  ...Object.fromEntries(`${OF_FEW} ${OF_ONE}`.split(' ').map((name) => [name, []])),
  readDirectory: [''],
  redeemLink: [],
  askRecovery: [],
  // Of a session alone: an API key is refused.
  readWays: [],
  proveSession: [],
  listKeys: ['', 'whose=all', 'whose=all&state=usable'],
  readKey: ['none'],
  issueKey: [],
  renameKey: [],
  rotateKey: [],
  revokeKey: [],
  revokeLeakedKeys: [],
  readScimProvider: [''],
  listScimResourceTypes: [''],
  readScimResourceType: ['User'],
  listScimSchemas: [''],
  readScimSchema: ['nothing'],
  listScimUsers: ['', 'filter=userName%20eq%20%22nobody%22', 'filter=externalId%20eq%20%22nobody%22'],
  readScimUser: ['nobody'],
  listScimGroups: ['', 'filter=displayName%20eq%20%22nothing%22'],
  readScimGroup: ['nothing'],
}
