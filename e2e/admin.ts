import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { operate } from './isolated-app.ts'
import { appEnvironment } from './server.ts'

/** Runs an operator's command, which must succeed, and returns its standard output. */
async function admin(
  args: string[],
  input: string,
  env: NodeJS.ProcessEnv,
  settings: Record<string, string> = {},
): Promise<string> {
  const { code, out, err } = await operate(env, args, input, settings)
  if (code !== 0) throw new Error(`admin ${args.join(' ')} ended with ${code}: ${err}`)
  return out.trim()
}

const mailSettings = (smtpUrl: string) => ({ SMTP_URL: smtpUrl, MAIL_FROM: 'billing@reseller.example' })

/** Mails the pending notices to members and requests for confirmations, through a mail server. */
export function sendMails(smtpUrl: string, env = appEnvironment()) {
  return admin(['send-mails'], '', env, mailSettings(smtpUrl))
}

/** Adds the demo's customer with this id and its members, unless a test has added it before. */
export function loadDemoCustomer(id: string, env = appEnvironment()) {
  return admin(['load-demo', id], '', env)
}

export const PASSWORD = 'correct horse battery'

/**
 * Creates a customer for one test file with the operator's commands.
 * @param env of the app to add it to, by default the app under test
 */
export async function newCustomer(name: string, env = appEnvironment()) {
  const command = (args: string[], input = '') => admin(args, input, env)
  const id = `${name}-${randomBytes(4).toString('hex')}`
  const domain = `${id}.example`
  const named = ['--id', id, '--name', `${name} Ltd`, '--domain', domain]
  await command(['customers', 'add', ...named, '--contact-email', `billing@${domain}`])
  const customerOption = ['--customer', id]
  const roleArgs = (roles: string[]) => roles.flatMap((role) => ['--role', role])
  const invite = (email: string, memberName: string, roles: string[]) =>
    command(['members', 'add', ...customerOption, '--email', email, '--name', memberName, ...roleArgs(roles)])
  return {
    id,
    domain,
    key: (...roles: string[]) =>
      command(['keys', 'issue', ...customerOption, ...roleArgs(roles), '--name', 'test']),
    /** Adds an active member, and returns the email address to sign in with. */
    async member(memberName: string, ...roles: string[]) {
      const email = `${memberName.toLowerCase().replaceAll(' ', '.')}@${domain}`
      await command(['accept', await invite(email, memberName, roles)], PASSWORD)
      return email
    },
    /** Invites a member, and returns the path of their link. */
    invite: async (email: string, memberName: string, ...roles: string[]) =>
      pathOf(await invite(email, memberName, roles)),
    /** Creates a member's password link, and returns its path. */
    reset: async (email: string) =>
      pathOf(await command(['members', 'reset', ...customerOption, '--email', email])),
    profile: (profileId: string, profileName: string) =>
      command(['billing-profiles', 'set', profileId, ...customerOption, '--name', profileName]),
    importAssets: (assets: object[], ...options: string[]) =>
      command(['import', 'assets', '-', ...customerOption, ...options], JSON.stringify(assets)),
    /** Notifies an address of the invoices through a mail server, and returns the number of mails sent. */
    async sendNotices(email: string, smtpUrl: string) {
      await command(['notices', 'add', email, ...customerOption])
      return Number(await admin(['notices', 'send', ...customerOption], '', env, mailSettings(smtpUrl)))
    },
    /** Sets the known details of an issuer. */
    setIssuer: (name: string, ...options: string[]) =>
      command(['issuers', 'set', name, ...customerOption, ...options]),
    importInvoices: (invoices: object[], ...options: string[]) =>
      command(['import', 'invoices', '-', ...customerOption, ...options], JSON.stringify(invoices)),
    /** Imports the rows of a FOCUS file, given as text. */
    importFocus: (csv: string, ...options: string[]) =>
      command(['import', 'focus', '-', ...customerOption, ...options], csv),
    /** Imports FOCUS files of the project, as one import. */
    importFocusFiles: (paths: string[], ...options: string[]) =>
      command(['import', 'focus', ...paths.map((path) => resolve(path)), ...customerOption, ...options]),
    /** Backdates the sign-ins of the customer's members. */
    ageSignIns: () => command(['age-sign-ins', id]),
    /** Adds seat samples: asset, age in days, purchased, assigned. */
    addSamples: (samples: [string, number, number, number][]) =>
      command(['add-samples', id], JSON.stringify(samples)),
    /** Leaves the customer with sums that overflow. */
    breakSums: () => command(['break-sums', id]),
    /** Sets the customer's own limits, as in `--changes 2`. */
    limits: (...options: string[]) => command(['customers', 'limits', id, ...options]),
    /** Closes the customer, which is read-only from then on. */
    close: () => command(['customers', 'close', id]),
    /** Runs a command on payments. */
    payments: (...args: string[]) => command(['payments', ...args, ...customerOption]),
    rebuildSums: () => command(['sums', 'rebuild', ...customerOption]),
    /** Attaches the issuer's own documents, each a file that is named after its invoice. */
    attach: (paths: string[]) => command(['invoices', 'attach', ...paths, ...customerOption]),
    /** Inserts invoices directly into the database, including drafts and voided ones. */
    addDocuments: (invoices: [id: string, row: object, lines?: object[]][]) =>
      command(['add-documents'], JSON.stringify(invoices.map((fields) => [id, ...fields]))),
  }
}

function pathOf(link: string): string {
  return new URL(link).pathname
}

type Plan = {
  purchased: number
  assigned?: number
  status?: string
  commitmentEnd?: string
  skuName?: string
}

/** Returns an asset for `importAssets`: flexible, or annual with a commitment's end; usage-based without a plan. */
export function asset(id: string, name: string, plan?: Plan) {
  const type = id.split('-').slice(0, 2).join('-')
  const defaults = {
    id,
    type,
    name,
    customerDomain: 'seats.example',
    vendorCustomerId: 'C01',
    createdAt: '2026-01-15T09:00:00Z',
  }
  if (!plan) return { ...defaults, subscription: null }
  const { purchased, assigned = 0, status = 'ACTIVE', commitmentEnd, skuName = name } = plan
  const commitment = commitmentEnd
    ? {
        planName: 'ANNUAL_MONTHLY_PAY',
        isCommitmentPlan: true,
        commitmentStart: '2026-03-01T00:00:00Z',
        commitmentEnd,
      }
    : { planName: 'FLEXIBLE', isCommitmentPlan: false }
  const bought = { id: `S-${id}`, skuId: 'SKU-1', skuName, billingMethod: 'ONLINE', status }
  return { ...defaults, subscription: { ...bought, ...commitment, seats: { purchased, assigned } } }
}

/** Returns an invoice for `importInvoices`, by default with one line that adds up. */
export function invoice(id: string, more: Record<string, unknown> = {}) {
  const total = String(more.totalAmount ?? '10.00')
  return {
    ...{
      id,
      platform: 'cloud-platform',
      issuer: 'Reseller Ltd',
      invoiceDate: '2026-09-30',
      dueDate: '2026-10-30',
    },
    currency: 'USD',
    totalAmount: total,
    balanceAmount: total,
    lines: [{ description: 'Compute', price: total, qty: '1' }],
    ...more,
  }
}
