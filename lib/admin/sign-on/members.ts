import * as store from '#lib/identity/access/sign-on/providers.ts'
import { releaseSubjects } from '#lib/identity/access/sign-on/subjects.ts'
import { lockMembers, memberWith } from '#lib/identity/members/store/read.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { customerNamed, recordDeed } from '../command.ts'
import { note } from '../terminal.ts'

type Of = { customer: string }

export async function requireSignOn({ customer }: Of): Promise<void> {
  const { customerId, name } = await customerNamed(customer)
  await scope({ customerId }, async (tx) => {
    // Whoever takes an Admin away meanwhile comes before this or after it.
    await lockMembers(tx, customerId, [])
    if (!(await store.hasProvenAdmin(tx, customerId)))
      throw new Problem(
        'invalid_request',
        `No Admin of ${name} has signed in by single sign-on yet: if it did not work, nobody could get in.`,
      )
    await store.setSignOnOnly(tx, customerId, true)
    await recordDeed(tx, customerId, 'customer.passwords-refused', customerId)
  })
  note(`Nobody signs in to ${name} by password any more; the sessions that passwords opened are ended.`)
}

export async function letPasswordsIn({ customer }: Of): Promise<void> {
  const { customerId, name } = await customerNamed(customer)
  await scope({ customerId }, async (tx) => {
    await store.setSignOnOnly(tx, customerId, false)
    await recordDeed(tx, customerId, 'customer.passwords-allowed', customerId)
  })
  note(`Members of ${name} sign in by password, too.`)
}

export async function release({ customer, email }: Of & { email: string }): Promise<void> {
  const { customerId, name } = await customerNamed(customer)
  await scope({ customerId }, async (tx) => {
    const member = await memberWith(tx, customerId, email.trim())
    if (!member) throw new Problem('not_found', `${name} has no member with the address ${email}.`)
    const count = await releaseSubjects(tx, customerId, { memberId: member })
    if (count > 0) await recordDeed(tx, customerId, 'sign-on.released', member, { email })
  })
  note(`The next sign-in with ${email} says who that is at the issuer.`)
}
