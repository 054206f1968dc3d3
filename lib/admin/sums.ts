import type { Command } from 'commander'
import {
  compareSums,
  type Difference,
  rebuildSums,
  type Sum,
} from '#lib/billing/invoices/sums/verify-totals.ts'
import { lockImports } from '#lib/imports/sessions/lock.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { listCustomers } from '#lib/platform/caller/store.ts'
import { allowLongQueries } from '#lib/platform/db/plans.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { customerNamed, recordOperatorAction, withDatabase } from './command.ts'
import { counted, interruption, note, print, printJson, printRows } from './terminal.ts'

export function addSumCommands(sums: Command): void {
  sums
    .command('verify')
    .description('Compare the stored sums with the invoices, and list each difference. Changes nothing.')
    .option('--customer <id>', 'id or domain of the customer; without it: all of them')
    .addHelpText('after', '\nExample:\n  npm run -s admin -- sums verify --customer sunbird')
    .action(withDatabase(verify))

  sums
    .command('rebuild')
    .description("Make a customer's sums anew from its invoices. Imports for it wait until that is done.")
    .requiredOption('--customer <id>', 'id or domain of the customer')
    .addHelpText('after', '\nExample:\n  npm run -s admin -- sums rebuild --customer sunbird')
    .action(withDatabase(rebuild))
}

/** @throws Problem where there are differences, after printing them */
async function verify({ customer, json = false }: { customer?: string; json?: boolean }): Promise<void> {
  const customers = customer === undefined ? await listCustomers() : [await customerNamed(customer)]
  const different: string[] = []
  const found: { customer: string; count: number; differences: ReturnType<typeof formatDifference>[] }[] = []
  for (const { customerId } of customers) {
    interruption.signal.throwIfAborted()
    const { differences, count } = await inSumsOf(customerId, (tx) => compareSums(tx, customerId))
    found.push({ customer: customerId, count, differences: differences.map(formatDifference) })
    if (count === 0) continue
    different.push(customerId)
    if (json) continue
    print(`${customerId}: ${counted(count, 'difference')}`)
    printRows(differences.map(formatDifference), {})
    if (count > differences.length) print(`… and ${(count - differences.length).toLocaleString('en')} more`)
  }
  if (json) printJson(found)
  if (different.length > 0)
    throw new Problem(
      'invalid_request',
      `The sums of ${different.join(', ')} are not those of the invoices. Make them anew with: sums rebuild --customer <id>`,
    )
  if (!json) print(`The sums of ${counted(customers.length, 'customer')} are those of the invoices.`)
}

async function rebuild({ customer }: { customer: string }): Promise<void> {
  const { customerId } = await customerNamed(customer)
  const { signal } = interruption
  const onWait = (tries: number) => {
    if (tries === 1) note(`An import for ${customerId} is waited for …`)
  }
  const { count, rows } = await inSumsOf(customerId, async (tx) => {
    await lockImports(tx, customerId, { signal, onWait })
    const { count } = await compareSums(tx, customerId)
    const rows = await rebuildSums(tx, customerId)
    await recordOperatorAction(tx, customerId, {
      action: 'sums.rebuilt',
      subject: customerId,
      details: { differences: count },
    })
    return { count, rows }
  })
  const countText = counted(count, 'was different', 'were different')
  print(`Rebuilt: ${counted(rows, 'sum')} of ${customerId}; ${countText}.`)
}

/** Runs the work in a transaction whose statements may read all invoices of a customer. */
function inSumsOf<T>(customerId: CustomerId, work: Parameters<typeof scope<T>>[1]): Promise<T> {
  const patiently: typeof work = async (tx) => {
    await allowLongQueries(tx)
    return work(tx)
  }
  // A wrong stored sum is no change by the customer.
  return scope({ customerId }, patiently, { evenIfClosed: true })
}

function formatDifference({ kept, is, ...key }: Difference) {
  const sum = ({ count, total, balance, credits }: Sum) =>
    `${count}, total ${total}, balance ${balance}${credits > 0 ? `, credits ${credits}` : ''}`
  return { ...key, due: key.due ?? 'settled', kept: sum(kept), invoices: sum(is) }
}
