import { webhookChannel } from '#lib/notifications/webhooks/deliver.ts'
import { startDatabase } from '#lib/platform/db/start.ts'
import { deliverContinuously } from '#lib/platform/outbox/worker.ts'

// Process that delivers webhooks until it is killed.

await startDatabase()
await deliverContinuously(webhookChannel, new AbortController().signal)
