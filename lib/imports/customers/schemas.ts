import { z } from 'zod'
import type { NewIssuer } from '#lib/billing/parties/issuers.ts'
import type { BillingProfile } from '#lib/identity/customers/billing-profiles.ts'
import { isOperated, type Kind, OPERATED, type Operated } from '#lib/notifications/notices/rules.ts'
import { ROLE_NAMES, ROLES, type Role } from '#lib/platform/caller/rules.ts'
import { countryOf, NO_COUNTRY } from '#lib/platform/values/countries.ts'
import { slugOf } from '../focus/platforms.ts'
import { Issuer, optionalCode, optionalLines } from '../json/issuer.ts'
import { name, optionalText, text } from '../json/values.ts'
import { quoted } from '../value-errors.ts'

// Schemas of the customers in a file. Missing fields stay unchanged; a new customer requires all necessary ones.

/** Line in the file on which the row or object begins. */
type WithLine<T> = T & { line: number }

export type ProfileInput = WithLine<Pick<BillingProfile, 'id'> & Partial<BillingProfile>>
export type IssuerInput = WithLine<NewIssuer>

export type MemberInput = WithLine<{
  email: string
  name?: string | undefined
  roles?: Role[] | undefined
  /** Null: all of the customer's. */
  billingProfiles?: string[] | null | undefined
}>

/** Notices to an address: about one billing profile, or about licenses, which have none. */
export type NoticesInput = WithLine<{ email: string; profile: string; kinds: Kind[] }>

export type CustomerInput = WithLine<{
  id: string
  name?: string | undefined
  domain?: string | undefined
  contactEmail?: string | undefined
  profiles: ProfileInput[]
  issuers: IssuerInput[]
  members: MemberInput[]
  notices: NoticesInput[]
}>

/** A part of a customer, as a row of CSV or an object of JSON has it. */
export type Piece = WithLine<{
  id: string
  name?: string | undefined
  domain?: string | undefined
  contactEmail?: string | undefined
  profiles?: Omit<ProfileInput, 'line'>[] | undefined
  issuers?: Omit<IssuerInput, 'line'>[] | undefined
  members?: Omit<MemberInput, 'line'>[] | undefined
  notices?: Omit<NoticesInput, 'line'>[] | undefined
}>

// The parts of a customer in a file, of JSON and of CSV alike: docs/operate/customers.md describes them.

const email = z
  .string('is not an email address')
  .trim()
  .pipe(z.email('is not an email address').max(254, 'is too long'))

const domain = z
  .string('is no domain')
  .trim()
  .toLowerCase()
  .pipe(
    z
      .hostname('is no domain such as sunbird.example')
      .max(253, 'is too long')
      .refine((value) => value.includes('.'), 'is no domain such as sunbird.example'),
  )

const customerId = text(60).refine(
  (value) => slugOf(value) === value,
  'is no id: small letters, digits and hyphens',
)

/** Names out of a list, or out of one text with commas, semicolons or bars between them; each once, in the order of `all`. */
function listOf<Name extends string>(
  all: readonly Name[],
  read: (text: string) => Name | undefined,
  what: string,
) {
  const allowed = all.join(', ')
  return z.union([z.string(), z.array(z.string())], `is no list of ${what}s`).transform((value, context) => {
    const names = namesIn(value)
    const unknown = names.filter((each) => read(each) === undefined)
    for (const each of unknown.slice(0, 3))
      context.issues.push({
        code: 'custom',
        input: value,
        message: `there is no ${what} ${quoted(each)}; there are ${allowed}`,
      })
    if (names.length === 0)
      context.issues.push({ code: 'custom', input: value, message: `needs at least one ${what}: ${allowed}` })
    const values = new Set(names.map(read))
    return all.filter((each) => values.has(each))
  })
}

function namesIn(value: string | string[]): string[] {
  const names = typeof value === 'string' ? value.split(/[,;|]/) : value
  return names.map((each) => each.trim()).filter((each) => each !== '')
}

const roles = listOf<Role>(
  ROLES,
  (input) =>
    ROLES.find((role) => [role, ROLE_NAMES[role].toLowerCase()].includes(input.trim().toLowerCase())),
  'role',
)
const kinds = listOf<Operated>(
  OPERATED,
  (input) => {
    const kind = input.trim().toLowerCase()
    return isOperated(kind) ? kind : undefined
  },
  'notice',
)

/** Ids of billing profiles; null, and `*` in CSV: all of the customer's, including future ones. */
const profileIds = z
  .union([z.string(), z.array(z.string())], 'is no list of billing profiles')
  .nullable()
  .transform((value) => (value === null || value === '*' ? null : [...new Set(namesIn(value))].sort()))
  .refine((value) => value === null || value.length > 0, 'names no billing profile: * means all')

export const Profile = z.strictObject({
  id: name(200),
  name: name(200).optional(),
  address: optionalLines.optional(),
  postcode: optionalText(20).optional(),
  city: optionalText(100).optional(),
  country: optionalCode(countryOf, NO_COUNTRY).optional(),
  taxId: optionalText(200).optional(),
  registration: optionalText(100).optional(),
})

export const Member = z.strictObject({
  email,
  name: name(200).optional(),
  roles: roles.optional(),
  billingProfiles: profileIds.optional(),
})

export const Notices = z.strictObject({
  email,
  profile: name(200).default('default'),
  kinds,
})

export const Customer = z.strictObject({
  id: customerId,
  name: name(200).optional(),
  domain: domain.optional(),
  contactEmail: email.optional(),
  billingProfiles: z.array(Profile).optional(),
  issuers: z.array(Issuer).optional(),
  members: z.array(Member).optional(),
  notices: z.array(Notices).optional(),
})
