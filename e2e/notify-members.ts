import { notifyMembers } from '#lib/identity/account-mails/send.ts'
import { sendConfirmations } from '#lib/notifications/recipients/send.ts'
import { startDatabase } from '#lib/platform/db/start.ts'

// Process that mails the pending notices to members and requests for confirmations now, as the jobs do each minute.

const database = await startDatabase()
const { signal } = new AbortController()
await notifyMembers('e2e', signal)
await sendConfirmations('e2e', signal)
await database.stop()
