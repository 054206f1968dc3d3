import { randomUUID } from 'node:crypto'
import { lockImports } from '#lib/imports/sessions/lock.ts'
import { undoImport } from '#lib/imports/undo/undo.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { allowImportTimes } from '#lib/platform/db/plans.ts'
import { scopeOfMany } from '#lib/platform/db/scope.ts'
import { interruption, note, print } from '../terminal.ts'
import { partsWith } from './list.ts'

/** Undoes an import for each customer that it was for, in one transaction. */
export async function undo(id: string): Promise<void> {
  const customers = (await partsWith(id)).map(({ customerId }) => customerId).sort()
  if (customers.length === 0) throw new Problem('not_found', `There is no import "${id}".`)
  const { signal } = interruption
  const requestId = randomUUID()
  const done = await scopeOfMany(async (enter) => {
    const all = []
    for (const customerId of customers) {
      const onWait = (tries: number) => {
        if (tries === 1) note(`Another import for ${customerId} is waited for …`)
      }
      all.push(
        await enter(customerId, async (tx) => {
          await allowImportTimes(tx)
          await lockImports(tx, customerId, { signal, onWait })
          return undoImport(tx, customerId, id, requestId)
        }),
      )
    }
    signal.throwIfAborted()
    return all
  })
  const sum = (what: 'removed' | 'voided' | 'restored') => done.reduce((count, each) => count + each[what], 0)
  print(`Undone: ${sum('removed')} removed, ${sum('voided')} voided, ${sum('restored')} as before`)
  const charged = done.reduce((count, each) => count + (each.charged ?? 0), 0)
  // With its invoices, its charges go without saying.
  if (charged > 0 && sum('removed') + sum('voided') + sum('restored') === 0)
    note(`Its charges of ${charged.toLocaleString('en')} invoices are gone; those before hold again.`)
  if (sum('voided') > 0) note('What the customer may have seen by now is voided, and not removed.')
  const issuers = [...new Set(done.flatMap((each) => each.issuers))]
  if (issuers.length > 0)
    note(
      `What it wrote down of ${issuers.join(', ')} (address, bank) stays: look at it by "issuers list", and change it by "issuers set".`,
    )
}
