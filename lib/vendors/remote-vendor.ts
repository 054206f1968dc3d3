import 'server-only'
import { log } from '#lib/platform/runtime/log.ts'
import { DEFAULT_ACCOUNT } from './accounts/account.ts'
import type { Budgets } from './budget.ts'
import type { VendorCalls, VendorConfig, VendorDeclaration } from './declaration.ts'
import { hasSameIds } from './same.ts'
import type { RemoteVendor } from './vendor.ts'

/**
 * A vendor that is set up, as the port has it. What calls it is being loaded; whoever asks before waits for that.
 * @param budgets of the account that the configuration names
 */
export function remoteVendor<Config extends VendorConfig>(
  { name, facts, foresee, isSame = hasSameIds, looksUp, setsNextTerm, load }: VendorDeclaration<Config>,
  config: Config,
  budgets: Budgets,
  account = DEFAULT_ACCOUNT,
): RemoteVendor {
  const loading = load().then(({ connect }) => connect(config, budgets))
  // Each call tells its own caller; without this line the process would end before anybody asks.
  loading.catch(() => {})
  return {
    name,
    label: facts.label,
    account,
    books: 'theirs',
    settleMs: config.settleMs,
    idempotentWrites: config.idempotentWrites,
    foresee,
    isSame,
    read: async (ref, signal) => (await loading).read(ref, signal),
    setQuantity: async (observed, total, changeId, signal) =>
      (await loading).setQuantity(observed, total, changeId, signal),
    ...(setsNextTerm
      ? { setNextTerm: nextTermOf(loading), isNextTermConditional: setsNextTerm.isConditional }
      : {}),
    ...(looksUp ? { lookup: lookupOf(loading) } : {}),
    async list(cursor, signal) {
      const page = await (await loading).list(cursor, signal)
      const unread = page.kind === 'page' ? page.unread : 0
      if (unread > 0) log().warn({ vendor: name, account, unread }, 'subscriptions were not understood')
      return page
    },
    spare: async () => (await loading).spare(),
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
