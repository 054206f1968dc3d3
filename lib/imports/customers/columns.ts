import type { z } from 'zod'
import { Issuer } from '../json/issuer.ts'
import { Customer, Member, Notices, Profile } from './values.ts'

/** Columns of a CSV file that belong together: a row may have some of each, and what is blank is not said. */
export type Columns = {
  part: 'customer' | 'profiles' | 'issuers' | 'members' | 'notices'
  schema: z.ZodType
  /** By column, the field that it is. The first one names the thing, and the others need it. */
  fields: Readonly<Record<string, string>>
}

const PLACE = { Address: 'address', Postcode: 'postcode', City: 'city', Country: 'country' }
const PARTY = { ...PLACE, TaxId: 'taxId', Registration: 'registration' }
const BANK = { Bank: 'bank', Iban: 'iban', Bic: 'bic', Account: 'account', Terms: 'terms' }

export const COLUMNS: readonly Columns[] = [
  {
    part: 'customer',
    schema: Customer,
    fields: { customer: 'id', name: 'name', domain: 'domain', contactEmail: 'contactEmail' },
  },
  {
    part: 'profiles',
    schema: Profile,
    fields: { profile: 'id', profileName: 'name', ...prefixed('profile', PARTY) },
  },
  {
    part: 'issuers',
    schema: Issuer,
    fields: { issuer: 'name', ...prefixed('issuer', { ...PARTY, ...BANK }) },
  },
  {
    part: 'members',
    schema: Member,
    fields: { member: 'email', memberName: 'name', roles: 'roles', memberProfiles: 'billingProfiles' },
  },
  {
    part: 'notices',
    schema: Notices,
    fields: { noticesTo: 'email', notices: 'kinds', noticesProfile: 'profile' },
  },
]

/** All columns, in the order in which docs list them. */
export const COLUMN_NAMES = COLUMNS.flatMap(({ fields }) => Object.keys(fields))

function prefixed(prefix: string, fields: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [`${prefix}${name}`, field]))
}
