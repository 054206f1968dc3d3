import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { attachDocuments } from '#lib/billing/issuer-documents/attach.ts'
import { type AttachmentPlan, planAttachments } from '#lib/billing/issuer-documents/plan.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { env } from '#lib/platform/runtime/env.ts'
import { customerCommands, customerNamed, withDatabase } from './command.ts'
import { interruption, note, printRows } from './terminal.ts'

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
    attachDocuments(tx, customerId, paths, plan, { requestId: randomUUID(), signal }),
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
