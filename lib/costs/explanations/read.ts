import 'server-only'
import type { Owner } from '#lib/billing/invoices/selection.ts'
import { seatChangesAround } from '#lib/costs/seat-changes.ts'
import { rethrowTimeout } from '#lib/platform/api/error-mapper.ts'
import { checkPermission } from '#lib/platform/api/operation.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { readScopeAtOnce } from '#lib/platform/db/scope.ts'
import type { Filter } from '#lib/platform/lists/filter.ts'
import { type CurrencyExplanation, explain, type Month, monthOf } from './explanation.ts'
import { listMonths, readMonths } from './store.ts'

type ExplanationFilter = {
  filter?: Filter<'platform' | 'issuer' | 'billingProfile' | 'currency'> | undefined
}
export type MonthExplanation = { month: Month; currencies: CurrencyExplanation[]; months: string[] }

const throwTooManyLines = rethrowTimeout(
  'To add up these lines takes longer than a request may. A filter, as of one billing profile or platform, makes them fewer.',
)

/**
 * Explains a month: four statements that leave together, whatever there is of invoices, lines and assets.
 * @throws Problem `service_unavailable` where the lines are more than can be added up in time
 */
export async function readExplanation(
  caller: Owner & Pick<Caller, 'roles'>,
  query: ExplanationFilter & { month: string },
): Promise<MonthExplanation> {
  const month = monthOf(query.month)
  const [rows, assets, months] = await readScopeAtOnce(
    caller,
    (tx) =>
      Promise.all([
        readMonths(tx, caller, { filter: query.filter }, month),
        seatChangesAround(tx, caller, [month.before, month.end]),
        listMonths(tx, caller, { filter: query.filter }),
      ]),
    { mayBeOld: true },
  ).catch(throwTooManyLines)
  return { month, currencies: explain(rows, assets, month), months }
}

/** Returns the newest completed month with invoices, as `YYYY-MM`; the newest month where none is completed. */
export async function newestMonth(
  caller: Caller,
  { filter }: ExplanationFilter,
  today: string,
): Promise<string | undefined> {
  checkPermission(caller, 'invoice-viewer')
  const months = await readScopeAtOnce(caller, (tx) => listMonths(tx, caller, { filter }), { mayBeOld: true })
  const present = today.slice(0, 7)
  return (months.find((month) => month.slice(0, 7) < present) ?? months[0])?.slice(0, 7)
}
