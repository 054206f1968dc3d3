import { randomUUID } from 'node:crypto'
import { basename, resolve } from 'node:path'
import { importPayments, type PaymentResult, readPaymentFile } from '#lib/imports/payments/import.ts'
import { allowImportTimes } from '#lib/platform/db/plans.ts'
import { env } from '#lib/platform/runtime/env.ts'
import { Incomplete, interruption, note, printRows } from '../terminal.ts'
import { inLedger } from './write.ts'

type Options = { customer: string; unmatchedAsCredit?: boolean; dryRun?: boolean; json?: boolean }

/** Thrown to roll a dry run back, with its results. */
class DryRun extends Error {
  readonly results: PaymentResult[]

  constructor(results: PaymentResult[]) {
    super('dry run')
    this.results = results
  }
}

/**
 * Records the payments of a file, all of them or none, and prints the result for each entry.
 * @throws Incomplete where entries fit no invoice
 */
export async function importFile(
  file: string,
  { customer, unmatchedAsCredit = false, dryRun = false, json }: Options,
): Promise<void> {
  const path = file === '-' ? file : resolve(env().callerDir, file)
  const read = await readPaymentFile(path, interruption.signal)
  const options = { name: basename(file), unmatchedAsCredit, requestId: randomUUID() }
  const results = await inLedger(customer, async (tx, customerId) => {
    await allowImportTimes(tx)
    const done = await importPayments(tx, customerId, read, options)
    if (dryRun) throw new DryRun(done)
    return done
  }).catch((error: unknown) => {
    if (error instanceof DryRun) return error.results
    throw error
  })
  printRows(results.map(formatResult), json ? { json } : {})
  const count = (result: PaymentResult['result']) => results.filter((one) => one.result === result).length
  note(
    `${count('recorded')} recorded, ${count('unchanged')} there already, ${count('unmatched')} unmatched, ${count('left out')} left out${dryRun ? ': nothing was stored' : ''}.`,
  )
  if (count('unmatched') > 0)
    throw new Incomplete(
      'What is unmatched was not stored: a statement may have payments of others. Add --unmatched-as-credit to store it as the customer’s credit, and pay invoices with it by: payments assign',
    )
}

function formatResult({ result, matchedBy, invoices, ...rest }: PaymentResult) {
  return { ...rest, result, by: matchedBy, invoices }
}
