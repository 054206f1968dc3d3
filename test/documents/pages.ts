/** Story of a document's commands: with the operator’s files and steps. */
export type Page = {
  file: string
  /** Blocks that are files of the operator, by how they begin. */
  inputs?: string[]
  /** Files of the operator in the folder of the commands, removed afterwards: their text, or the input with it. */
  files?: Record<string, string | { input: string }>
  /** Commands before those of the document. */
  before?: string[]
  /** Answers to questions of commands on the terminal. */
  answers?: Record<string, string>
  /** Identifiers in the document that a run has others for, with the command whose JSON has the newest one. */
  ids?: Record<string, string>
}

const SUNBIRD = '--customer sunbird'
const ADMIN = 'npm run -s admin --'

const asset = (id: string, more: Record<string, unknown> = {}) => ({
  id,
  type: id.replace(/-\w+$/, ''),
  name: 'Business Plus',
  customerDomain: 'sunbird.example',
  vendorCustomerId: 'C1',
  createdAt: '2024-03-01',
  subscription: {
    id,
    skuId: 'S1',
    skuName: 'Business Plus',
    billingMethod: 'ONLINE',
    status: 'ACTIVE',
    planName: 'FLEXIBLE',
    isCommitmentPlan: false,
    seats: { purchased: 20, maximum: 2000, assigned: 1 },
    ...more,
  },
})

/** An asset whose next term can be ordered. */
const committed = (id: string) =>
  asset(id, {
    planName: 'ANNUAL_MONTHLY_PAY',
    isCommitmentPlan: true,
    commitmentStart: day(-100),
    commitmentEnd: day(265),
    seats: { purchased: 120, maximum: 120, assigned: 1 },
  })

const invoice = (id: string, total: string) => ({
  id,
  platform: 'web-services',
  issuer: 'Cloud Resale Ltd',
  invoiceDate: '2026-10-31',
  dueDate: '2026-11-30',
  currency: 'EUR',
  totalAmount: total,
  lines: [{ description: 'Compute', price: total, qty: 1 }],
})

function day(offset: number): string {
  return new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10)
}

/** All documents with commands, in the order in which they are run on the same data. */
export const PAGES: readonly Page[] = [
  { file: 'README.md' },
  { file: 'CONTRIBUTING.md' },
  { file: 'docs/operate/install.md' },
  {
    file: 'docs/operate/customers.md',
    files: {
      'assets.ndjson': ['workspace-suite-9120', 'office-suite-4410']
        .map((id) => JSON.stringify(asset(id)))
        .join('\n'),
      'keys-wanted.csv': 'customer,name,roles\nsunbird,Reports,finance-user\n',
    },
    before: ['cp docs/operate/customers.csv customers.csv'],
    answers: { [`${ADMIN} customers import customers.csv --links`]: 'y' },
  },
  { file: 'docs/operate/monitoring.md' },
  {
    file: 'docs/operate/imports.md',
    inputs: ['[\n  {\n    "id": "INV-2026-0917"', '[\n  {\n    "id": "workspace-suite-1001"'],
    files: {
      'invoices.ndjson': { input: '[\n  {\n    "id": "INV-2026-0917"' },
      'assets.json': { input: '[\n  {\n    "id": "workspace-suite-1001"' },
      'IN-7.xml':
        '<?xml version="1.0"?><Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"/>',
    },
    before: [
      'mkdir -p costs-2026-10 more',
      'cp docs/focus-1.4/cost-and-usage.csv costs-2026-10/1.csv',
      `echo '${JSON.stringify(invoice('IN-7', '10.00'))}' | ${ADMIN} import invoices - ${SUNBIRD}`,
      "printf '%%PDF-1.4\\n%%%%EOF\\n' > more/INV-2026-0917.pdf",
      'python3 -m zipfile -c originals.zip more/INV-2026-0917.pdf',
    ],
    ids: { '20261122-4f3a9c1e': `${ADMIN} import list ${SUNBIRD} --json` },
  },
  {
    file: 'docs/operate/payments.md',
    before: [
      `echo '${JSON.stringify([invoice('INV-7', '60.00'), invoice('INV-8', '30.00')])}' | ${ADMIN} import invoices - ${SUNBIRD}`,
    ],
  },
  {
    file: 'docs/use/licenses.md',
    inputs: ['Asset ID\tTotal'],
    files: { 'totals.csv': { input: 'Asset ID\tTotal' } },
    answers: { [`${ADMIN} licenses apply totals.csv --customer sunbird`]: 'y' },
  },
  {
    file: 'docs/use/renewals.md',
    before: [
      `echo '[${JSON.stringify(committed('workspace-suite-5d20a7'))}]' | ${ADMIN} import assets - ${SUNBIRD}`,
    ],
  },
  { file: 'docs/use/exports.md' },
  { file: 'docs/use/keys.md' },
  {
    file: 'docs/use/directories.md',
    ids: { '3f8f6f0e-7f0b-4b43-8f5f-6a1c2f1f9d11': `${ADMIN} scim token list ${SUNBIRD} --json` },
  },
  {
    file: 'docs/use/emails.md',
    before: [
      `${ADMIN} members add ${SUNBIRD} --name "Ida Rey" --email ida@sunbird.example --role it-manager`,
    ],
  },
  { file: 'docs/use/single-sign-on.md', files: { 'secret.txt': 'a-secret-of-the-issuer\n' } },
  { file: 'docs/operate/history.md' },
  { file: 'docs/operate/repair.md' },
  { file: 'docs/operate/upgrade.md' },
  { file: 'docs/operate/database.md' },
]
