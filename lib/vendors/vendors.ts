import 'server-only'
import { log } from '#lib/platform/runtime/log.ts'
import { DAY_SECONDS } from '#lib/platform/runtime/settings.ts'
import { type Account, accounts, configOf, DEFAULT_ACCOUNT } from './accounts.ts'
import { type GuardedVendor, probesOf, withBreaker } from './breaker.ts'
import { type Budgets, budgetsOf } from './budgets.ts'
import { builtIn } from './built-in.ts'
import type { VendorCalls, VendorConfig, VendorDeclaration } from './declaration.ts'
import { vendorDeclarations } from './declarations.ts'
import { vendorTimes } from './settings.ts'
import { hasSameIds, type LocalVendor, type RemoteVendor, type Unavailable } from './vendor.ts'

// The vendors by name and account, connected by their settings. Which vendors there are says known-vendors.ts.

type Connected = { config: VendorConfig | undefined; vendor: GuardedVendor }

// Pages and route handlers get separate copies of this module: they share what a breaker has learnt.
const slot = globalThis as typeof globalThis & { licensesInvoicesVendors?: Map<string, Connected> }

/** Whether an asset may name this vendor. */
export function isVendor(name: string): boolean {
  return name === builtIn.name || vendorDeclarations.some((vendor) => vendor.name === name)
}

/** Who keeps the books of an asset: ours, or an account at a vendor. One that is not set up can't be reached. */
export function vendorOf(asset: Account): LocalVendor | GuardedVendor {
  if (asset.vendor === builtIn.name) return builtIn
  const declared = vendorDeclarations.find(({ name }) => name === asset.vendor)
  if (!declared) throw new Error(`There is no vendor named ${asset.vendor}.`)
  return connected(declared, asset.vendorAccount)
}

/** The accounts at vendors whose books are kept elsewhere, as far as they are set up. */
export function remoteVendors(): GuardedVendor[] {
  return accounts().map((account) => vendorOf(account) as GuardedVendor)
}

/** Once for each account of a process, and anew where its settings have changed. */
function connected(declared: VendorDeclaration, account: string): GuardedVendor {
  slot.licensesInvoicesVendors ??= new Map()
  const name = JSON.stringify([declared.name, account])
  const connection = slot.licensesInvoicesVendors.get(name)
  const named = { vendor: declared.name, vendorAccount: account }
  const config = configOf(named)
  if (connection && JSON.stringify(connection.config) === JSON.stringify(config)) return connection.vendor
  const remote = config
    ? remoteVendor(declared, config, budgetsOf(declared.name, account), account)
    : unconfigured(declared, account)
  const vendor = withBreaker(remote, vendorTimes().pauseMs, probesOf(named))
  slot.licensesInvoicesVendors.set(name, { config, vendor })
  return vendor
}

function unconfigured({ name, info: { label } }: VendorDeclaration, account: string): RemoteVendor {
  const which = account === DEFAULT_ACCOUNT ? '' : `, account ${account},`
  const reason = `${label}${which} is not configured.`
  const unavailable: Unavailable = { kind: 'unavailable', reason, why: 'no_access' }
  return {
    name,
    label,
    account,
    systemOfRecord: 'theirs',
    // What was sent before it was taken away may be done still: as late as the slowest vendor says.
    settleMs: DAY_SECONDS * 1000,
    idempotentWrites: undefined,
    // Never called: an unreadable subscription is not written to.
    predictOutcome: () => ({ kind: 'rejected', code: 'vendor_rejected', reason }),
    isSame: () => false,
    read: async () => unavailable,
    setQuantity: async () => ({ kind: 'not_sent', code: 'vendor_unavailable', reason, why: 'no_access' }),
    list: async () => unavailable,
    secondsUntilAvailable: async () => 0,
  }
}

/**
 * Returns a configured vendor as the port has it. Its client is loaded lazily; earlier callers wait for that.
 * @param budgets of the account that the configuration names
 */
export function remoteVendor<Config extends VendorConfig>(
  {
    name,
    info,
    predictOutcome,
    isSame = hasSameIds,
    hasLookup,
    setsNextTerm,
    load,
  }: VendorDeclaration<Config>,
  config: Config,
  budgets: Budgets,
  account = DEFAULT_ACCOUNT,
): RemoteVendor {
  const loading = load().then(({ connect }) => connect(config, budgets))
  // Each call rejects for its own caller; without this line the process would end before the first call.
  loading.catch(() => {})
  return {
    name,
    label: info.label,
    account,
    systemOfRecord: 'theirs',
    settleMs: config.settleMs,
    idempotentWrites: config.idempotentWrites,
    predictOutcome,
    isSame,
    read: async (ref, signal) => (await loading).read(ref, signal),
    setQuantity: async (observed, total, changeId, signal) =>
      (await loading).setQuantity(observed, total, changeId, signal),
    ...(setsNextTerm ? { setNextTerm: nextTermOf(loading) } : {}),
    ...(hasLookup ? { lookup: lookupOf(loading) } : {}),
    async list(cursor, signal) {
      const page = await (await loading).list(cursor, signal)
      const unread = page.kind === 'page' ? page.unread : 0
      if (unread > 0) log().warn({ vendor: name, account, unread }, 'subscriptions were not understood')
      return page
    },
    secondsUntilAvailable: async () => (await loading).secondsUntilAvailable(),
  }
}

function lookupOf(loading: Promise<VendorCalls>): NonNullable<RemoteVendor['lookup']> {
  return async (ref, write, signal) => {
    const { lookup } = await loading
    const reason = 'It is declared that a write can be looked up, and there is no call for that.'
    return lookup ? lookup(ref, write, signal) : { kind: 'unknown', reason }
  }
}

function nextTermOf(loading: Promise<VendorCalls>): NonNullable<RemoteVendor['setNextTerm']> {
  return async (observed, next, requestId, signal) => {
    const { setNextTerm } = await loading
    if (!setNextTerm)
      throw new Error('It is declared that a next term can be ordered, and there is no call for that.')
    return setNextTerm(observed, next, requestId, signal)
  }
}
