import { expect, it } from 'vitest'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { addMember } from '#lib/platform/db/test-rows.ts'
import { sendDueMails } from '#lib/platform/outbox/test-mails.ts'
import { customerId, onStage, stage } from '../notices/test-stage.ts'
import { adoptConfirmations, confirmationMail } from './send.ts'
import { addRequest, ensureRecipient, withdrawRequest } from './store.ts'

onStage()

async function request() {
  const customer = newCustomerId(customerId)
  const requestedBy = await addMember(customerId, { roles: ['admin'] })
  return scope({ customerId: customer }, async (tx) => {
    const recipientId = await ensureRecipient(tx, customer, 'ap@books.example')
    const which = { recipientId, profileId: 'default' }
    await addRequest(tx, customer, { ...which, notices: ['new'], attachesPdf: false, requestedBy })
    return which
  })
}
const send = () => sendDueMails([confirmationMail])

it('A request that was withdrawn before is not mailed', async () => {
  const which = await request()
  const customer = newCustomerId(customerId)
  await scope({ customerId: customer }, (tx) => withdrawRequest(tx, customer, which))
  expect([await send(), stage.taken()]).toEqual([0, []])
})

it('A request of the previous release is mailed once, except one that its process sends', async () => {
  await request()
  const ofPrevious = async (values: string) => {
    await stage.database.sql(customerId, 'DELETE FROM outbox')
    await stage.database.sql(customerId, `UPDATE notice_confirmations SET ${values}`)
  }
  const adopt = () => adoptConfirmations('r', new AbortController().signal)
  await ofPrevious("state = 'SENDING', not_before = statement_timestamp() + interval '9 minutes'")
  expect([await adopt(), await send()]).toEqual([0, 0])
  await ofPrevious("state = 'WAITING', not_before = now()")
  await Promise.all([adopt(), adopt(), adopt()])
  expect([await send(), await adopt(), await send()]).toEqual([1, 0, 0])
  expect(stage.taken()).toHaveLength(1)
})
