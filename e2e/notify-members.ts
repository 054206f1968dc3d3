import { notifyMembers } from '#lib/identity/account-mails/send.ts'
import { startDatabase } from '#lib/platform/db/start.ts'

// Process that mails the pending notices to members now, as the job does each minute.

const database = await startDatabase()
await notifyMembers('e2e', new AbortController().signal)
await database.stop()
