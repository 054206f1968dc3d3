import { z } from 'zod'
import * as directory from '#lib/identity/customers/store.ts'
import {
  changeNaming,
  listCustomerStates,
  type Naming,
  readNaming,
  renaming,
  wasRemoved,
} from '#lib/identity/customers/store.ts'
import { slugOf } from '#lib/imports/focus/platforms.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { checkedText, customerNamed, orDuplicate, recordOperatorAction } from '../command.ts'
import { counted, note, print, printRows, UsageError } from '../terminal.ts'

type NewCustomer = { id?: string; name: string; domain: string; contactEmail: string }

/** Adds one customer. */
export async function addCustomer(input: NewCustomer): Promise<void> {
  const name = nameOf(input.name)
  const domain = domainOf(input.domain)
  const contactEmail = contactOf(input.contactEmail)
  const id = input.id ?? slugOf(domain.split('.')[0] ?? domain)
  if (slugOf(id) !== id) throw new UsageError(`"${id}" is not an id such as ${slugOf(id)}.`)

  const customerId = newCustomerId(id)
  await orDuplicate(
    scope({ customerId }, async (tx) => {
      if (await wasRemoved(tx, id))
        throw new Problem('invalid_request', `"${id}" was a customer that is gone. Give another --id.`)
      await directory.addCustomer(tx, customerId, { name, domain, contactEmail })
      await recordOperatorAction(tx, customerId, {
        action: 'customer.added',
        subject: id,
        details: { name, domain, contactEmail },
      })
    }),
    {
      customers_pkey: `There is a customer "${id}" already. Give another --id.`,
      customers_domain_unique: `There is a customer with the domain ${domain} already.`,
    },
  )
  print(id)
  note(`Added ${name}. Next: members add --customer ${id} …, keys issue --customer ${id} …`)
}

/** Prints all customers as a table or as JSON; closed ones with their closing time. */
export async function showCustomers(options: { json?: boolean }): Promise<void> {
  const { states } = await listCustomerStates()
  const isAnyClosed = [...states.values()].some(({ closedAt }) => closedAt !== null)
  printRows(
    [...states].map(([id, { domain, name, closedAt, goneAt }]) => ({
      id,
      domain,
      name,
      ...(isAnyClosed ? { closed: closedAt, gone: goneAt } : {}),
    })),
    options,
  )
}

type NamingOptions = { name?: string; domain?: string; contactEmail?: string }

/** Changes the present options; unchanged values change nothing. */
export async function renameCustomer(idOrDomain: string, options: NamingOptions): Promise<void> {
  const { customerId } = await customerNamed(idOrDomain)
  const { name, domain, contactEmail } = options
  const naming = {
    ...(name === undefined ? {} : { name: nameOf(name) }),
    ...(domain === undefined ? {} : { domain: domainOf(domain) }),
    ...(contactEmail === undefined ? {} : { contactEmail: contactOf(contactEmail) }),
  }
  const fields = Object.keys(naming) as (keyof Naming)[]
  if (fields.length === 0) throw new UsageError('Say what changes: --name, --domain or --contact-email.')
  const change = scope({ customerId }, async (tx) => {
    const before = await readNaming(tx, customerId)
    if (!before) throw new Problem('not_found', `There is no customer "${idOrDomain}".`)
    const changed = Object.fromEntries(
      fields.filter((field) => naming[field] !== before[field]).map((field) => [field, naming[field]]),
    ) as Partial<Naming>
    if (Object.keys(changed).length === 0) return { before, changed, assets: 0 }
    const assets = await changeNaming(tx, customerId, changed, before)
    await recordOperatorAction(tx, customerId, {
      action: 'customer.renamed',
      subject: customerId,
      details: renaming(before, changed),
    })
    return { before, changed, assets }
  })
  const { before, changed, assets } = await orDuplicate(change, {
    customers_domain_unique: `There is a customer with the domain ${naming.domain} already.`,
  })
  const changeTexts = Object.entries(changed).map(([field, value]) => `${field} ${value}`)
  note(changeTexts.length === 0 ? 'Nothing to change.' : `${customerId}: ${changeTexts.join(', ')}.`)
  if (assets > 0)
    note(`${counted(assets, 'asset was', 'assets were')} of ${before.domain}, now of ${changed.domain}.`)
  if (changed.name !== undefined)
    note('What invoices address are its billing profiles, which keep their names: see billing-profiles set.')
}

/** @throws Problem where it is empty, too long, or has control characters */
function nameOf(text: string): string {
  return checkedText('name', text)
}

/** Returns a domain in lower case. @throws Problem where the text is not a domain */
function domainOf(text: string): string {
  const domain = text.trim().toLowerCase()
  if (!z.hostname().max(253).safeParse(domain).success || !domain.includes('.'))
    throw new UsageError(`"${text}" is not a domain such as sunbird.example.`)
  return domain
}

/** @throws Problem for an invalid email address */
function contactOf(text: string): string {
  const email = text.trim()
  if (!z.email().max(254).safeParse(email).success) throw new UsageError(`"${text}" is not an email address.`)
  return email
}
