import { MEMBER_MAILS } from '#lib/identity/account-mails/kinds.ts'
import { confirmationMail } from '#lib/notifications/recipients/send.ts'
import { startDatabase } from '#lib/platform/db/start.ts'
import { mailChannel } from '#lib/platform/outbox/mail.ts'
import { deliverDue } from '#lib/platform/outbox/worker.ts'

// Process that mails the pending notices to members and requests for confirmations now, as the worker does.

const database = await startDatabase()
const { signal } = new AbortController()
await deliverDue(mailChannel([...MEMBER_MAILS, confirmationMail]), { requestId: 'e2e', signal })
await database.stop()
