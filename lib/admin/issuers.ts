import { randomUUID } from 'node:crypto'
import type { Command } from 'commander'
import { bicOf, ibanOf } from '#lib/billing/parties/bank-codes.ts'
import { type IssuerDetails, listIssuers, saveIssuer } from '#lib/billing/parties/issuers.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { countryOf, NO_COUNTRY } from '#lib/platform/values/countries.ts'
import {
  checkedText,
  codeOf,
  collect,
  customerCommands,
  customerNamed,
  linesOf,
  printsRows,
  textOf,
  withDatabase,
} from './command.ts'
import { note } from './terminal.ts'

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
    .action(withDatabase(setIssuer))
  printsRows(
    of('list', 'List the issuers of which more than the name is known.', '--json --customer sunbird'),
    listIssuers,
  )
}

type Given = { customer: string; address?: string[] } & Partial<
  Record<Exclude<keyof IssuerDetails, 'address'>, string>
>

async function setIssuer(given: string, { customer, address, ...texts }: Given): Promise<void> {
  const { customerId } = await customerNamed(customer)
  const name = checkedText('name', given, 300)
  const details = Object.fromEntries(
    Object.entries(texts).map(([field, text]) => [field, READERS[field]?.(text) ?? null]),
  )
  const lines = address === undefined ? {} : { address: linesOf('address', address) }
  const issuer = { name, ...lines, ...details }
  await scope({ customerId }, (tx) => saveIssuer(tx, customerId, issuer, randomUUID()))
  note(`The issuer ${name} is set.`)
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
}
