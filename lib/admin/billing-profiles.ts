import type { Command } from 'commander'
import {
  type BillingProfile,
  listBillingProfiles,
  setBillingProfile,
} from '#lib/identity/customers/billing-profiles.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { countryOf, NO_COUNTRY } from '#lib/platform/values/countries.ts'
import {
  checkedText,
  codeOf,
  collect,
  customerCommands,
  customerNamed,
  linesOf,
  orDuplicate,
  printsRows,
  recordOperatorAction,
  textOf,
  withDatabase,
} from './command.ts'
import { note } from './terminal.ts'

export function addBillingProfileCommands(parent: Command): void {
  const addCommand = customerCommands(parent)

  addCommand(
    'set',
    'Add a billing profile, or change what is given of one. An empty text takes away what was there.',
    'default --address "Main Street 1" --postcode 8000 --city Zurich --country CH --tax-id CHE-116.281.710 --customer sunbird',
  )
    .argument('<id>', '"default", or another one')
    .option('--name <name>', 'the company, as invoices address it')
    .option('--address <line>', 'a line of the address; given once for each', collect)
    .option('--postcode <code>', 'the postcode')
    .option('--city <name>', 'the city')
    .option('--country <code>', 'two letters, such as CH')
    .option('--tax-id <id>', 'VAT or other tax number')
    .option('--registration <text>', "number in the country's register of companies")
    .action(withDatabase(setProfile))
  printsRows(
    addCommand('list', 'List the billing profiles.', '--json --customer sunbird'),
    listBillingProfiles,
  )
}

type ProfileOptions = { customer: string; address?: string[] } & Partial<
  Record<Exclude<keyof BillingProfile, 'id' | 'address'>, string>
>

async function setProfile(
  profileId: string,
  { customer, name, address, ...texts }: ProfileOptions,
): Promise<void> {
  const { customerId } = await customerNamed(customer)
  const id = checkedText('id', profileId)
  const details = {
    ...(name === undefined ? {} : { name: checkedText('name', name) }),
    ...(address === undefined ? {} : { address: linesOf('address', address) }),
    ...Object.fromEntries(
      Object.entries(texts).map(([field, text]) => [field, READERS[field]?.(text) ?? null]),
    ),
  }
  const set = scope({ customerId }, async (tx) => {
    if (!(await setBillingProfile(tx, customerId, { id, ...details })))
      throw new Problem('invalid_request', `There is no billing profile "${id}" yet. Give its --name.`)
    await recordOperatorAction(tx, customerId, { action: 'billing-profile.set', subject: id, details })
  })
  await orDuplicate(set, {
    billing_profiles_customer_id_id_pk: `Someone added the billing profile "${id}" at this moment.`,
  })
  note(`The billing profile ${id} is set.`)
}

const READERS: Record<string, (text: string) => string | null> = {
  postcode: (text) => textOf('postcode', text, 20),
  city: (text) => textOf('city', text, 100),
  country: (text) => codeOf(text, countryOf, NO_COUNTRY),
  taxId: (text) => textOf('tax id', text),
  registration: (text) => textOf('registration', text, 100),
}
