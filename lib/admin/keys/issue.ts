import { randomUUID } from 'node:crypto'
import { listBillingProfiles } from '#lib/identity/billing-profiles/store.ts'
import * as operations from '#lib/identity/keys/operations.ts'
import { NAME_MAX } from '#lib/identity/keys/rules.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import { checkedText, rolesOf } from '../command.ts'
import { operatorOf } from '../licenses/operator.ts'
import { note, print } from '../terminal.ts'

type Given = {
  customer: string
  name: string
  role: string[]
  profile?: string[]
  address?: string[]
  expires: number | 'never'
}

/** Issues a key by the customer's own way, as one who has all of their roles and billing profiles. */
export async function issueKey({
  customer,
  role,
  profile,
  address,
  expires,
  ...given
}: Given): Promise<void> {
  const operator = await operatorOf(customer, ['admin'])
  const profiles = await readScope(operator, (tx) => listBillingProfiles(tx, operator.customerId))
  const caller = { ...operator, billingProfiles: profiles.map(({ id }) => id) }
  const body = {
    name: checkedText('name', given.name, NAME_MAX),
    roles: rolesOf(role),
    ...(profile ? { billingProfiles: profile } : {}),
    ...(address ? { addresses: address } : {}),
    owner: 'CUSTOMER' as const,
    validDays: expires === 'never' ? null : expires / 24,
  }
  const input = { params: {}, query: {}, body }
  const { body: issued } = await operations.issueKey(caller, input, { requestId: randomUUID() })
  print(issued.secret)
  note(`Keep it now: it can not be shown again. Its id is ${issued.key.id}.`)
}
