import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { operate, run } from './isolated-app.ts'
import { appEnvironment } from './server.ts'

/** What an operator's command printed on standard output; it must succeed. */
async function admin(args: string[], input: string, env: NodeJS.ProcessEnv): Promise<string> {
  return printed(args, await operate(env, args, input))
}

function printed(args: string[], { code, out, err }: Awaited<ReturnType<typeof run>>): string {
  if (code !== 0) throw new Error(`admin ${args.join(' ')} ended with ${code}: ${err}`)
  return out.trim()
}

export const PASSWORD = 'correct horse battery'

/**
 * A customer of its own for one test file, made as an operator makes it.
 * @param env of the app that it is added to: the one under test, unless the file has one of its own
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
    /** Adds a member who has come, and returns the address to sign in with. */
    async member(memberName: string, ...roles: string[]) {
      const email = `${memberName.toLowerCase().replaceAll(' ', '.')}@${domain}`
      await command(['accept', await invite(email, memberName, roles)], PASSWORD)
      return email
    },
    /** Adds a member, and returns the path of the link that they are to be given. */
    invite: async (email: string, memberName: string, ...roles: string[]) =>
      pathOf(await invite(email, memberName, roles)),
    /** Makes a link with which a member sets a new password, and returns its path. */
    reset: async (email: string) =>
      pathOf(await command(['members', 'reset', ...customerOption, '--email', email])),
    profile: (profileId: string, profileName: string) =>
      command(['billing-profiles', 'set', profileId, ...customerOption, '--name', profileName]),
    importAssets: (assets: object[]) =>
      command(['import', 'assets', '-', ...customerOption], JSON.stringify(assets)),
    /** Tells an address of the invoices, through a mail server, and says how many mails left. */
    async sendNotices(email: string, smtpUrl: string) {
      await command(['notices', 'add', email, ...customerOption])
      const mail = { ...env, SMTP_URL: smtpUrl, MAIL_FROM: 'billing@reseller.example' }
      const args = ['notices', 'send', ...customerOption]
      // A process of its own: what is kept for the others has no mail server.
      return Number(printed(args, await run('lib/admin/main.ts', mail, args)))
    },
    /** Sets what is known of an issuer. */
    setIssuer: (name: string, ...options: string[]) =>
      command(['issuers', 'set', name, ...customerOption, ...options]),
    importInvoices: (invoices: object[], ...options: string[]) =>
      command(['import', 'invoices', '-', ...customerOption, ...options], JSON.stringify(invoices)),
    /** Rows of a FOCUS file, as text. */
    importFocus: (csv: string, ...options: string[]) =>
      command(['import', 'focus', '-', ...customerOption, ...options], csv),
    /** FOCUS files of the project, as one import. */
    importFocusFiles: (paths: string[], ...options: string[]) =>
      command(['import', 'focus', ...paths.map((path) => resolve(path)), ...customerOption, ...options]),
    /** Makes it long ago that its members signed in. */
    async ageSignIns() {
      printed(['age sign-ins'], await run('e2e/age-sign-ins.ts', env, [], id))
    },
    /** Writes down what licenses were: asset, days ago, purchased, assigned. */
    async addSamples(samples: [string, number, number, number][]) {
      const input = JSON.stringify([id, samples])
      printed(['readings'], await run('e2e/add-seat-samples.ts', env, [], input))
    },
    /** Leaves the customer with sums that can't be answered. */
    async breakSums() {
      printed(['break sums'], await run('e2e/break-sums.ts', env, [], id))
    },
    /** Sets limits of its own, as `--changes 2`. */
    limits: (...options: string[]) => command(['customers', 'limits', id, ...options]),
    /** From then on it can only be read. */
    close: () => command(['customers', 'close', id]),
    rebuildSums: () => command(['sums', 'rebuild', ...customerOption]),
    /** Keeps the issuer's own documents, each a file that is named after its invoice. */
    attach: (paths: string[]) => command(['invoices', 'attach', ...paths, ...customerOption]),
    /** Adds invoices as they may stand in the database: drafts, and what was voided, too. */
    async addDocuments(invoices: [id: string, row: object, lines?: object[]][]) {
      const input = JSON.stringify(invoices.map((fields) => [id, ...fields]))
      printed(['documents'], await run('e2e/add-documents.ts', env, [], input))
    },
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

/** An asset for `importAssets`: flexible, or annual where a commitment's end is given; usage-based without a plan. */
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

/** An invoice for `importInvoices`: one line that adds up, unless told otherwise. */
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
