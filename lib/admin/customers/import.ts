import { resolve } from 'node:path'
import { applyCustomer, type Invitation } from '#lib/imports/customers/apply.ts'
import { type CustomerChanges, planCustomers } from '#lib/imports/customers/plan.ts'
import { readCustomers } from '#lib/imports/customers/read.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { mailSettings } from '#lib/platform/mail/settings.ts'
import { env } from '#lib/platform/runtime/env.ts'
import { reasonOf } from '#lib/platform/runtime/log.ts'
import {
  counted,
  Interrupted,
  interruption,
  isAgreedTo,
  note,
  print,
  printRows,
  progress,
} from '../terminal.ts'
import { openSecretFile, type SecretFile } from './secret-file.ts'

export type ImportOptions = {
  dryRun?: boolean
  yes?: boolean
  json?: boolean
  /** New file for the links of new members. */
  links?: string
  /** Whether links are mailed and not written to a file. */
  mail?: boolean
}

/**
 * Imports customers from a file: shows the changes, and applies them after one confirmation, each customer completely
 * or not at all. A repeated import changes nothing.
 * @throws ImportError that names each bad line; then nothing is written
 */
export async function importCustomers(file: string, options: ImportOptions): Promise<void> {
  const { dryRun = false, yes = false, json = false } = options
  const { signal } = interruption
  const inputs = await readCustomers(file === '-' ? file : resolve(env().callerDir, file), signal)
  const display = progress('customers compared')
  const plans = await planCustomers(inputs, { signal, onProgress: (count) => display.update(count) }).finally(
    () => display.end(),
  )
  const table = plans.flatMap(changesTable)
  if (json) print(JSON.stringify(table, null, 2))
  else printRows(table, {})
  for (const line of summaryOf(plans)) note(line)
  const changed = plans.filter(({ changes }) => changes.some(isNews))
  if (changed.length === 0) return note('Nothing to change.')
  if (dryRun) return note('Dry run: nothing was stored.')
  const invited = changed.flatMap(({ changes }) => changes).filter(isInvitation).length
  checkDelivery(options, invited)
  if (!yes && !(await isAgreedTo('Go on? [y/N] ', ['y', 'yes'])))
    throw new Problem('invalid_request', 'Nothing was changed.')
  const links =
    options.links !== undefined && invited > 0 ? await openSecretFile(options.links, LINK_COLUMNS) : undefined
  try {
    await applyAll(changed, { links, isMailed: options.mail ?? false, signal })
  } finally {
    await links?.close()
  }
  if (links) note(`The links of ${links.count} people are in ${options.links}; each opens a membership once.`)
}

/**
 * Requires a delivery for links of new members: a link is shown once, and without delivery its member could not sign
 * in.
 */
function checkDelivery({ links, mail }: ImportOptions, invited: number): void {
  if (mail && !mailSettings())
    throw new Problem('invalid_request', 'Links cannot be mailed: SMTP_URL and MAIL_FROM are not set.')
  if (invited > 0 && links === undefined && !mail)
    throw new Problem(
      'invalid_request',
      `${invited} people are new and get a link each: add --links <file> to have them written there, or --mail to have them mailed.`,
    )
}

const LINK_COLUMNS = ['customer', 'email', 'name', 'link', 'expires']

function linkRow({ customer, email, name, url, expiresAt }: Invitation): string[] {
  return [customer, email, name, url, expiresAt.toISOString()]
}

type Delivery = { links: SecretFile | undefined; isMailed: boolean; signal: AbortSignal }

async function applyAll(
  plans: readonly CustomerChanges[],
  { links, isMailed, signal }: Delivery,
): Promise<void> {
  const display = progress('customers written')
  const failed: string[] = []
  let done = 0
  try {
    for (const { input } of plans) {
      if (signal.aborted)
        throw new Interrupted(`Interrupted: ${done} of ${counted(plans.length, 'customer')} written.`)
      try {
        const { invitations } = await applyCustomer(input, { isMailed })
        await links?.add(invitations.map(linkRow))
        display.update(++done)
      } catch (error) {
        failed.push(`${input.id}: ${error instanceof Problem ? error.message : reasonOf(error)}`)
      }
    }
  } finally {
    display.end()
  }
  note(`${done} of ${counted(plans.length, 'customer is', 'customers are')} written.`)
  if (failed.length > 0)
    throw new Problem(
      'invalid_request',
      `These were not, whole, and the same file can be imported again:\n  ${failed.join('\n  ')}`,
    )
}

function isNews({ kind }: Change): boolean {
  return kind !== 'unchanged'
}

function isInvitation({ part, kind }: Change): boolean {
  return part === 'member' && kind === 'new'
}

/** Returns the changes as a table with a row per item; unchanged items are only counted. */
function changesTable({ input, changes }: CustomerChanges) {
  return changes
    .filter(({ kind }) => kind !== 'unchanged')
    .map((change) => ({
      customer: input.id,
      what: change.part,
      which: change.id,
      change: change.kind,
      fields: change.fields.map((field) => fieldText(change, field)).join('; ') || null,
    }))
}

function fieldText({ kind }: Change, { name, from, to }: Change['fields'][number]): string {
  return kind === 'new' ? `${name} ${valueText(to)}` : `${name} ${valueText(from)} → ${valueText(to)}`
}

function valueText(value: unknown): string {
  if (value === null || value === '') return 'nothing'
  const text = Array.isArray(value) ? value.join(', ') : String(value).replaceAll('\n', ', ')
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}

type Change = CustomerChanges['changes'][number]

const NAMES: Record<Change['part'], string> = {
  customer: 'Customers',
  'billing profile': 'Billing profiles',
  issuer: 'Issuers',
  member: 'Members',
  notices: 'Notices',
}

/** Returns the counts per kind: `Members: 2 new, 1 changed, 40 unchanged`. */
function summaryOf(plans: readonly CustomerChanges[]): string[] {
  const changes = plans.flatMap((plan) => plan.changes)
  return (Object.keys(NAMES) as Change['part'][]).flatMap((part) => {
    const partChanges = changes.filter((change) => change.part === part)
    const count = (kind: Change['kind']) => partChanges.filter((change) => change.kind === kind).length
    return partChanges.length === 0
      ? []
      : [`${NAMES[part]}: ${count('new')} new, ${count('changed')} changed, ${count('unchanged')} unchanged.`]
  })
}
