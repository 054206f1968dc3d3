import type { Command } from 'commander'
import { listAllPayments } from '#lib/billing/payments/ledger.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { collect, customerCommands, printsRows, withDatabase } from '../command.ts'
import { importFile } from './import.ts'
import { add, assign, reverse, writeOffRest } from './write.ts'

/** Adds the commands that record payments. Each is idempotent by its reference. */
export function addPaymentCommands(parent: Command): void {
  const addCommand = customerCommands(parent)
  addCommand(
    'add',
    'Record a payment or a refund. The same reference again changes nothing.',
    '--customer sunbird --date 2026-11-20 --amount 119.00 --currency EUR --reference BANK-17 --invoice INV-7',
  )
    .requiredOption('--date <day>', 'the day of the payment, such as 2026-11-20')
    .requiredOption('--amount <amount>', 'the amount, such as 119.00')
    .requiredOption('--currency <code>', 'three letters, such as EUR')
    .requiredOption('--reference <text>', "the bank's reference, or your own")
    .option(
      '--invoice <id[=amount]>',
      'an invoice that it pays, repeatable; what is left is the customer’s credit',
      collect,
    )
    .option('--method <text>', 'how it was paid, such as "bank transfer"')
    .option('--payer <name>', 'who paid')
    .option('--note <text>', 'what the payer wrote')
    .option('--refund', 'it was paid back to the customer, of a credit note')
    .option('--refund-of <reference>', 'it was paid back of the credit that is left of this payment')
    .action(withDatabase(add))
  addCommand(
    'import',
    'Record the payments of a file: camt.053, camt.054, or CSV. The same file again changes nothing.',
    'statement.xml --customer sunbird --dry-run',
  )
    .argument('<file>', 'the file, or - for standard input')
    .option('--unmatched-as-credit', 'store what fits no invoice as the customer’s credit, too')
    .option('--dry-run', 'show what each entry is, and store nothing')
    .option('--json', 'as JSON')
    .action(withDatabase(importFile))
  const list = addCommand('list', 'List payments, the newest first.', '--customer sunbird --unassigned')
  printsRows(
    list
      .option('--unassigned', 'only those with a part that is the customer’s credit')
      .option('--invoice <id>', 'only those of one invoice'),
    (tx, customerId) => listForOperator(tx, customerId, list.opts()),
  )
  addCommand(
    'assign',
    'Pay invoices with the credit that is left of a payment.',
    'BANK-17 --invoice INV-8 --customer sunbird',
  )
    .argument('<reference>', 'the reference of the payment')
    .requiredOption('--invoice <id[=amount]>', 'an invoice that it pays, repeatable', collect)
    .option('--date <day>', 'the day of the assignment; without it: today')
    .action(withDatabase(assign))
  addCommand(
    'reverse',
    'Reverse a payment, a refund or a write-off: it stays in the ledger, and its invoices are open again.',
    'BANK-17 --reason "returned by the bank" --customer sunbird',
  )
    .argument('<reference>', 'the reference of the payment')
    .requiredOption('--reason <text>', 'why')
    .option('--date <day>', 'the day of the reversal; without it: today')
    .action(withDatabase(reverse))
  addCommand(
    'write-off',
    'Write off what is open of an invoice, up to the limit of its currency (WRITE_OFF_LIMITS).',
    'INV-7 --reference WO-1 --customer sunbird',
  )
    .argument('<invoice>', 'the id of the invoice')
    .requiredOption('--reference <text>', 'your reference; the same one again changes nothing')
    .option('--date <day>', 'the day of the write-off; without it: today')
    .action(withDatabase(writeOffRest))
}

/** Lists a customer's payments for the operator, who sees all billing profiles. */
async function listForOperator(
  tx: Transaction,
  customerId: CustomerId,
  options: { unassigned?: boolean; invoice?: string },
) {
  return (await listAllPayments(tx, customerId, options)).map((row) => {
    const { paidOn, kind, amount, currency, reference, payer, parts, credit, reversedOn } = row
    const invoices = parts.map((part) => `${part.wireId}: ${part.amount}`)
    return { date: paidOn, kind, amount, currency, reference, payer, invoices, credit, reversed: reversedOn }
  })
}
