import { MEMBER_MAILS } from '#lib/identity/account-mails/kinds.ts'
import { startDatabase } from '#lib/platform/db/start.ts'
import { mailChannel } from '#lib/platform/outbox/mail.ts'
import { deliverDue } from '#lib/platform/outbox/worker.ts'

// Process that mails the pending notices to members now, as the worker does each second.

const database = await startDatabase()
await deliverDue(mailChannel(MEMBER_MAILS), { requestId: 'e2e', signal: new AbortController().signal })
await database.stop()
