import 'server-only'
import { checkSeesAll } from '#lib/identity/members/access.ts'
import { operation } from '#lib/platform/api/operation.ts'
import { type Caller, type CustomerId, may } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { readScope, readScopeAtOnce, scope } from '#lib/platform/db/scope.ts'
import { type Actor, actorOf, recordAudit } from '#lib/platform/history/audit.ts'
import * as contract from './contract.ts'
import { type LastPrice, lastPricesOf, type Priced, seesPrices } from './rules.ts'
import { listNewestLines, type NewestLine, readHidesPrices, setHidesPrices } from './store.ts'

export const readPriceVisibility = operation(contract.readPriceVisibility, async (caller) => ({
  body: { areHidden: await readScope(caller, (tx) => readHidesPrices(tx, caller.customerId)) },
}))

export const setPriceVisibility = operation(
  contract.setPriceVisibility,
  async (caller, { body }, { requestId }) => {
    const by = { actor: actorOf(caller), requestId }
    await scope(caller, async (tx) => {
      await checkSeesAll(tx, caller, 'To hide or show prices')
      await changeVisibility(tx, caller.customerId, body.areHidden, by)
    })
    return { body }
  },
)

/** Hides prices or shows them, and writes down who did. @returns whether that is a change */
export async function changeVisibility(
  tx: Transaction,
  customerId: CustomerId,
  areHidden: boolean,
  by: { actor: Actor; requestId: string },
): Promise<boolean> {
  const isChanged = await setHidesPrices(tx, customerId, areHidden)
  const action = areHidden ? 'prices.hidden' : 'prices.shown'
  if (isChanged) await recordAudit(tx, customerId, { action, subject: customerId, ...by })
  return isChanged
}

/** Returns the last billed price of a license of each asset, by asset id, as far as known and visible to the caller. */
export async function lastPrices(
  caller: Caller,
  assets: readonly Priced[],
): Promise<Record<string, LastPrice>> {
  if (assets.length === 0 || !may(caller, 'licenses-manager')) return {}
  const read = (tx: Transaction) =>
    Promise.all([readHidesPrices(tx, caller.customerId), listNewestLines(tx, caller)])
  const [hidesPrices, lines] = await readScopeAtOnce(caller, read)
  return Object.fromEntries(pricesFor(caller, { hidesPrices, assets, lines }))
}

/**
 * Returns the prices from loaded lines: none for a platform with invoices in two currencies, because the price would be
 * ambiguous.
 */
export function pricesFor(
  caller: Pick<Caller, 'roles'>,
  {
    hidesPrices,
    assets,
    lines,
  }: { hidesPrices: boolean; assets: readonly Priced[]; lines: readonly NewestLine[] },
): Map<string, LastPrice> {
  if (!seesPrices(caller, { hidesPrices })) return new Map()
  const single = lines.filter(({ isMixed }) => !isMixed)
  const prices = lastPricesOf(assets, single)
  if (may(caller, 'invoice-viewer')) return prices
  return new Map([...prices].map(([id, { invoiceId: _, ...price }]) => [id, price]))
}
