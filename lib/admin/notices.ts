import { randomUUID } from 'node:crypto'
import { type Command, InvalidArgumentError } from 'commander'
import { z } from 'zod'
import { listBillingProfiles } from '#lib/identity/customers/billing-profiles.ts'
import {
  addLicensesRecipient,
  addRecipient,
  listRecipientRows,
  removeLicensesRecipient,
  removeRecipient,
} from '#lib/notifications/notices/recipients.ts'
import { isOperated, type Kind, NOTICES, OPERATED, type Operated } from '#lib/notifications/notices/rules.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { mailSettings } from '#lib/platform/mail/settings.ts'
import { customerCommands, customerNamed, printsRows, recordOperatorAction, withDatabase } from './command.ts'
import { interruption, note, print, UsageError } from './terminal.ts'

export function addNoticeCommands(parent: Command): void {
  const addCommand = customerCommands(parent)

  addCommand(
    'add',
    'Tell addresses of the invoices of a billing profile, or set anew what they are told; with licenses, members who manage them of what vendors change.',
    'ap@sunbird.example ana@sunbird.example --kinds due,past-due --customer sunbird',
  )
    .argument('<email...>', 'one or more addresses')
    .option('--profile <id>', 'the billing profile', 'default')
    .option('--kinds <list>', 'which notices, separated by commas', kindsOf, [...NOTICES])
    .option('--pdf', 'attach the PDFs of new invoices')
    .option('--no-pdf', 'attach nothing; the default for a new address')
    .option('--again', 'also those that the person has stopped, at their own wish')
    .action(withDatabase(add))
  printsRows(
    addCommand(
      'list',
      'List who is told of what, and the addresses that were refused.',
      '--customer sunbird',
    ),
    listRecipientRows,
  )
  addCommand('remove', 'Tell addresses no more.', 'ap@sunbird.example --customer sunbird')
    .argument('<email...>', 'one or more addresses')
    .option('--profile <id>', 'of this billing profile; of all if it is left out')
    .action(withDatabase(remove))
  addCommand(
    'send',
    'Send what is to tell now, and not at the next full hour. Prints how many mails left.',
    '--customer sunbird',
  ).action(withDatabase(send))
}

type NoticeOptions = { customer: string; profile?: string }

type Added = Required<NoticeOptions> & { kinds: Operated[]; again?: boolean; pdf?: boolean }

async function add(emails: string[], { customer, profile, kinds, again = false, pdf }: Added): Promise<void> {
  const { customerId } = await customerNamed(customer)
  for (const email of emails)
    if (!z.email().max(254).safeParse(email).success)
      throw new UsageError(`"${email}" is not an email address.`)
  await scope({ customerId }, async (tx) => {
    const profiles = await listBillingProfiles(tx, customerId)
    if (!profiles.some(({ id }) => id === profile))
      throw new Problem('not_found', `There is no billing profile "${profile}".`)
    for (const email of emails) {
      const stopped = await addOne(tx, customerId, { email, profile, kinds, again, pdf })
      const blocked = kinds.filter((kind) => stopped.includes(kind))
      if (blocked.length > 0) note(`${email} has stopped ${blocked.join(', ')}, and is not told of it.`)
    }
  })
  const ofProfile = NOTICES.filter((kind) => kinds.includes(kind))
  const lines = [
    ...(ofProfile.length > 0 ? [`${ofProfile.join(', ')} of the billing profile ${profile}`] : []),
    ...(kinds.includes('licenses') ? ['licenses that vendors change'] : []),
  ]
  note(`${emails.join(', ')}: ${lines.join('; ')}.`)
  if (!mailSettings()) note('SMTP_URL is not set here. Where the console runs without it, nothing is sent.')
}

/** Adds one address. @returns the notices that it has stopped */
async function addOne(
  tx: Transaction,
  customerId: CustomerId,
  {
    email,
    profile,
    kinds,
    again,
    pdf,
  }: Pick<Added, 'kinds' | 'pdf'> & {
    email: string
    profile: string
    again: boolean
  },
): Promise<Kind[]> {
  const stopped: Kind[] = []
  const ofInvoices = NOTICES.filter((kind) => kinds.includes(kind))
  if (kinds.includes('licenses'))
    stopped.push(...(await addLicensesRecipient(tx, customerId, { email, again })))
  if (ofInvoices.length > 0) {
    const recipient = { email, profile, kinds: ofInvoices, again, attachesPdf: pdf }
    stopped.push(...(await addRecipient(tx, customerId, recipient)))
  }
  const attachments = pdf ? 'pdf' : 'none'
  await recordOperatorAction(tx, customerId, {
    action: 'notices.set',
    subject: email,
    details: { profile, kinds, stopped, ...(pdf === undefined ? {} : { attachments }) },
  })
  return stopped
}

async function remove(emails: string[], { customer, profile }: NoticeOptions): Promise<void> {
  const { customerId, name } = await customerNamed(customer)
  await scope({ customerId }, async (tx) => {
    for (const email of emails) {
      const profiles = await removeRecipient(tx, customerId, email, profile)
      const hadLicenses = profile === undefined && (await removeLicensesRecipient(tx, customerId, email))
      if (profiles.length === 0 && !hadLicenses)
        throw new Problem('not_found', `${email} gets no notices of ${name}.`)
      await recordOperatorAction(tx, customerId, {
        action: 'notices.removed',
        subject: email,
        details: { profiles },
      })
    }
  })
  note(`${emails.join(', ')}: no more notices.`)
}

async function send({ customer }: NoticeOptions): Promise<void> {
  const { customerId } = await customerNamed(customer)
  if (!mailSettings())
    throw new Problem('invalid_request', 'Notices are off: SMTP_URL and MAIL_FROM are not set.')
  // Only now: mail and links would make every other command slower to start.
  const { sendNotices } = await import('#lib/notifications/notices/send.ts')
  print(String(await sendNotices(`admin-${randomUUID()}`, interruption.signal, customerId)))
}

function kindsOf(text: string): Operated[] {
  const named = text.split(',').map((kind) => kind.trim())
  const unknown = named.filter((kind) => !isOperated(kind))
  if (unknown.length > 0) throw new InvalidArgumentError(`There are ${OPERATED.join(', ')}.`)
  return OPERATED.filter((kind) => named.includes(kind))
}
