import type { Command } from 'commander'
import { Problem } from '#lib/api/problem.ts'
import { listBillingProfiles, setBillingProfile } from '#lib/billing-profiles/store.ts'
import { scope } from '#lib/db/scope.ts'
import {
  checkedText,
  collect,
  customerNamed,
  linesOf,
  orDuplicate,
  recordDeed,
  textOf,
  withDatabase,
} from './command.ts'
import { customerCommands, printsRows } from './customer-commands.ts'
import { note } from './terminal.ts'

export function addBillingProfileCommands(program: Command): void {
  const of = customerCommands(
    program,
    'billing-profiles',
    'Whom invoices address: name, address and tax id. Invoices name their profile by its id.',
  )

  of(
    'set',
    'Add a billing profile, or change what is given of one. An empty text takes away what was there.',
    'default --address "Main Street 1" --address "8000 Zurich" --tax-id CHE-116.281.710 --customer sunbird',
  )
    .argument('<id>', '"default", or another one')
    .option('--name <name>', 'the company, as invoices address it')
    .option('--address <line>', 'a line of the address; given once for each', collect)
    .option('--tax-id <id>', 'VAT or other tax number')
    .action(withDatabase(setProfile))
  printsRows(of('list', 'List the billing profiles.', '--json --customer sunbird'), listBillingProfiles)
}

type Given = { customer: string; name?: string; address?: string[]; taxId?: string }

async function setProfile(given: string, { customer, ...rest }: Given): Promise<void> {
  const { customerId } = await customerNamed(customer)
  const id = checkedText('id', given)
  const details = {
    ...(rest.name === undefined ? {} : { name: checkedText('name', rest.name) }),
    ...(rest.address === undefined ? {} : { address: linesOf('address', rest.address) }),
    ...(rest.taxId === undefined ? {} : { taxId: textOf('tax id', rest.taxId) }),
  }
  const set = scope({ customerId }, async (tx) => {
    if (!(await setBillingProfile(tx, customerId, { id, ...details })))
      throw new Problem('invalid_request', `There is no billing profile "${id}" yet. Give its --name.`)
    await recordDeed(tx, customerId, 'billing-profile.set', id, details)
  })
  await orDuplicate(set, {
    billing_profiles_customer_id_id_pk: `Somebody added the billing profile "${id}" at this moment.`,
  })
  note(`The billing profile ${id} is set.`)
}
