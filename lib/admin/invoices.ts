import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import {
  type AttachmentPlan,
  attachDocuments,
  planAttachments,
} from '#lib/billing/issuer-documents/attach.ts'
import { listDuplicates, mergeInvoices } from '#lib/imports/invoices/duplicates.ts'
import { lockImports } from '#lib/imports/sessions/lock.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { allowImportTimes, allowLongQueries } from '#lib/platform/db/plans.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { env } from '#lib/platform/runtime/env.ts'
import { decimalOf } from '#lib/platform/values/decimals.ts'
import { customerCommands, customerNamed, printsRows, withDatabase } from './command.ts'
import { interruption, note, printRows, UsageError } from './terminal.ts'

export function addInvoiceCommands(parent: Command): void {
  const addCommand = customerCommands(parent)
  addCommand(
    'attach',
    "Keep the issuer's own PDF or XML with its invoice. A file's name is the invoice's id or number.",
    'originals.zip --customer sunbird --dry-run',
  )
    .argument('<file...>', 'PDF or XML files, folders or ZIP archives of them')
    .option('--invoice <id>', 'whose files these are, whatever their names')
    .option('--dry-run', 'show what each file is, and store nothing')
    .action(withDatabase(attach))
  printsRows(
    addCommand(
      'duplicates',
      'List what may be owed twice, under two names of one issuer: which one to keep, and the other.',
      '--customer sunbird',
    ),
    async (tx, customerId) => {
      await allowLongQueries(tx)
      return listDuplicates(tx, customerId)
    },
  )
  addCommand(
    'merge',
    'Make one invoice of two: the second is voided for the first, which takes over payments, documents and charges.',
    'INV-7 microsoft:INV-7 --customer sunbird',
  )
    .argument('<invoice>', 'the id of the one that stays')
    .argument('<duplicate>', 'the id of the other one')
    .option('--balance <amount>', 'what is left to pay; asked for where something of both is paid')
    .action(withDatabase(merge))
}

async function merge(
  keep: string,
  duplicate: string,
  { customer, balance: balanceText }: { customer: string; balance?: string },
): Promise<void> {
  const { customerId } = await customerNamed(customer)
  const balance = balanceText === undefined ? undefined : decimalOf(balanceText)
  if (balanceText !== undefined && balance === undefined)
    throw new UsageError(`"${balanceText}" is no amount such as 12.50.`)
  const done = await scope({ customerId }, async (tx) => {
    await allowImportTimes(tx)
    await lockImports(tx, customerId, { signal: interruption.signal })
    return mergeInvoices(tx, customerId, { keep, duplicate, balance: balance?.toFixed() }, randomUUID())
  })
  note(`${duplicate} is voided for ${keep}, of which ${done.balance} ${done.currency} are left to pay.`)
}

type Options = { customer: string; invoice?: string; dryRun?: boolean }

/** @throws Problem where a file can't be kept: then nothing is stored */
async function attach(files: string[], { customer, invoice, dryRun = false }: Options): Promise<void> {
  const { customerId } = await customerNamed(customer)
  const paths = files.map((file) => resolve(env().callerDir, file))
  const { signal } = interruption
  const plan = await planAttachments(customerId, paths, { invoiceId: invoice, signal })
  printRows(plan.map(formatPlan), {})
  const count = (result: AttachmentPlan['result']) => plan.filter((file) => file.result === result).length
  const counts = `${count('new')} new, ${count('same')} there already, ${count('left out')} left out`
  if (count('refused') > 0)
    throw new Problem('invalid_request', `${counts}, ${count('refused')} refused: nothing was stored.`)
  if (dryRun || count('new') === 0) return note(`${counts}: nothing was stored.`)
  await scope({ customerId }, (tx) =>
    attachDocuments(tx, customerId, { paths, plan, requestId: randomUUID(), signal }),
  )
  note(`${counts}: stored.`)
}

const RESULTS = { new: 'new', same: 'there already' }

function formatPlan(file: AttachmentPlan) {
  const { place, result } = file
  if (result === 'refused' || result === 'left out')
    return { file: place, invoice: null, kind: null, result: `${result}: ${file.reason}` }
  return { file: place, invoice: file.invoiceId, kind: file.kind, result: RESULTS[result] }
}
