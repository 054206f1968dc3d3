import { randomUUID } from 'node:crypto'
import type { Command } from 'commander'
import {
  type IssuerDetails,
  issuerNames,
  listIssuers,
  listSaid,
  removeAlias,
  saveIssuer,
} from '#lib/billing/parties/issuers.ts'
import {
  MAX_TEMPLATE_LENGTH,
  PLACEHOLDERS,
  paymentUrlError,
} from '#lib/billing/payment-instructions/payment-url.ts'
import { lockImports } from '#lib/imports/sessions/lock.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { bicOf, ibanOf } from '#lib/platform/values/bank-codes.ts'
import { countryOf, NO_COUNTRY } from '#lib/platform/values/countries.ts'
import {
  checkedText,
  codeOf,
  collect,
  customerCommands,
  customerNamed,
  linesOf,
  printsRows,
  recordOperatorAction,
  textOf,
  withDatabase,
} from './command.ts'
import { interruption, note, UsageError } from './terminal.ts'

export function addIssuerCommands(parent: Command): void {
  const of = customerCommands(parent)

  of(
    'set',
    'Add an issuer, or change what is given of one. An empty text takes away what was there.',
    '"Cloud Resale Ltd" --address "1 Quay Road" --city Dublin --country IE --iban IE64IRCE92050112345678 --customer sunbird',
  )
    .argument('<name>', 'as the invoices have it')
    .option('--address <line>', 'a line of the address; given once for each', collect)
    .option('--postcode <code>', 'the postcode')
    .option('--city <name>', 'the city')
    .option('--country <code>', 'two letters, such as CH')
    .option('--tax-id <id>', 'VAT or other tax number')
    .option('--registration <text>', "number in the country's register of companies")
    .option('--bank <name>', 'the bank')
    .option('--iban <iban>', 'the account')
    .option('--bic <bic>', 'of the bank')
    .option('--account <text>', 'the account at a bank without IBAN, with its routing number')
    .option('--terms <text>', 'what was agreed on payment')
    .option(
      '--payment-url <template>',
      `https address where an invoice is paid, with ${PLACEHOLDERS.map((name) => `{${name}}`).join(', ')}`,
    )
    .option(
      '--grace-days <days>',
      'how long after its period what has no number stays a draft: 10 unless set',
    )
    .option('--unbilled <what>', 'after that: "issue" it from here, or "draft", until the bill comes')
    .action(withDatabase(setIssuer))
  of(
    'alias',
    'Say that an issuer is another one, too: its invoices are that one’s from then on.',
    '"Amazon Web Services EMEA SARL" "Amazon Web Services, Inc." --customer sunbird',
  )
    .argument('<name>', 'the other name')
    .argument('[issuer]', 'the issuer whose name it is')
    .option('--remove', 'it is an issuer of its own again')
    .action(withDatabase(setAlias))
  printsRows(
    of('list', 'List the issuers of which more than the name is known.', '--json --customer sunbird'),
    async (tx, customerId) => {
      const said = await listSaid(tx, customerId)
      return (await listIssuers(tx, customerId)).flatMap((issuer) => {
        const { name: _, ...known } = { ...issuer, ...said.get(issuer.name) }
        return Object.values(known).some((value) => value !== null) ? [{ name: issuer.name, ...known }] : []
      })
    },
  )
}

type Alias = { customer: string; remove?: boolean }

/** @throws Problem where both are one issuer already, or there is no such alias */
async function setAlias(
  given: string,
  as: string | undefined,
  { customer, remove = false }: Alias,
): Promise<void> {
  const { customerId } = await customerNamed(customer)
  if ((as === undefined) !== remove) throw new UsageError('Give the issuer whose name it is, or --remove.')
  const name = checkedText('name', given, 300)
  await scope({ customerId }, async (tx) => {
    await lockImports(tx, customerId, { signal: interruption.signal })
    if (as === undefined) {
      await removeAlias(tx, customerId, name)
      return recordOperatorAction(tx, customerId, { action: 'issuer.own', subject: name })
    }
    const names = await issuerNames(tx, customerId)
    const issuer = names.nameOf(checkedText('issuer', as, 300))
    if (names.isSame(name, issuer))
      throw new Problem(
        'invalid_request',
        `${name} is ${issuer} already: names are compared without case, blanks and punctuation.`,
      )
    await names.setSame(name, issuer)
    await recordOperatorAction(tx, customerId, { action: 'issuer.same', subject: name, details: { issuer } })
  })
  note(
    as === undefined
      ? `${name} is an issuer of its own.`
      : `${name} is ${as} from now on. "invoices duplicates" lists what is owed twice.`,
  )
}

const MAX_GRACE_DAYS = 366

type Given = { customer: string; address?: string[]; graceDays?: string; unbilled?: string } & Partial<
  Record<Exclude<keyof IssuerDetails, 'address'>, string>
>

async function setIssuer(
  given: string,
  { customer, address, graceDays, unbilled, ...texts }: Given,
): Promise<void> {
  const { customerId } = await customerNamed(customer)
  const written = checkedText('name', given, 300)
  const details = Object.fromEntries(
    Object.entries(texts).map(([field, text]) => [field, READERS[field]?.(text) ?? null]),
  )
  const lines = address === undefined ? {} : { address: linesOf('address', address) }
  const rules = {
    ...(graceDays === undefined ? {} : { graceDays: daysOf(graceDays) }),
    ...(unbilled === undefined ? {} : { unbilled: unbilledOf(unbilled) }),
  }
  const name = await scope({ customerId }, async (tx) => {
    const firstSpelling = (await issuerNames(tx, customerId)).nameOf(written)
    await saveIssuer(tx, customerId, { name: firstSpelling, ...lines, ...details, ...rules }, randomUUID())
    return firstSpelling
  })
  note(`The issuer ${name} is set.`)
}

/** Whole days; null where the text is empty. */
function daysOf(text: string): number | null {
  if (text.trim() === '') return null
  const days = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN
  if (!(days <= MAX_GRACE_DAYS)) throw new UsageError(`Enter whole days, from 0 to ${MAX_GRACE_DAYS}.`)
  return days
}

/** Parses the handling of charges without a number; null where the text is empty. */
function unbilledOf(text: string): 'draft' | 'issue' | null {
  if (text.trim() === '') return null
  if (text === 'draft' || text === 'issue') return text
  throw new UsageError('Give "draft" or "issue".')
}

const READERS: Record<string, (text: string) => string | null> = {
  postcode: (text) => textOf('postcode', text, 20),
  city: (text) => textOf('city', text, 100),
  country: (text) => codeOf(text, countryOf, NO_COUNTRY),
  taxId: (text) => textOf('tax id', text, 100),
  registration: (text) => textOf('registration', text, 100),
  bank: (text) => textOf('bank', text),
  iban: (text) => codeOf(text, ibanOf, 'is no IBAN: its country, length or check digits do not fit'),
  bic: (text) => codeOf(text, bicOf, 'is no BIC such as ABCDDEFFXXX'),
  account: (text) => textOf('account', text),
  terms: (text) => textOf('terms', text, 500),
  paymentUrl: (text) => {
    const template = textOf('payment url', text, MAX_TEMPLATE_LENGTH)
    const message = template === null ? undefined : paymentUrlError(template)
    if (message) throw new UsageError(`The payment url ${message}.`)
    return template
  },
}
