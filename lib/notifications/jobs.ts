import 'server-only'
import type { BackgroundWork } from '#lib/platform/db/background.ts'
import { pruneDismissals } from './needs/store.ts'
import { pruneMails } from './notices/outbox.ts'
import { noticeMail, sendNotices } from './notices/send.ts'
import { notifyOperators, operatorMail } from './operator-mail/send.ts'
import { adoptConfirmations, confirmationMail } from './recipients/send.ts'
import { pruneRequests } from './recipients/store.ts'
import { pruneDailyEvents, writeDailyEvents } from './webhooks/daily.ts'
import { webhookChannel } from './webhooks/deliver.ts'

export const notificationsWork: BackgroundWork = {
  jobs: [
    // From six in the morning on: the first run of a day reports the night, the others what is left.
    { name: 'send-notices', cron: '23 6-23 * * *', run: sendNotices },
    { name: 'send-confirmations', cron: '* * * * *', run: adoptConfirmations },
    { name: 'tell-operators', cron: '*/10 * * * *', run: notifyOperators },
    { name: 'write-daily-events', cron: '37 * * * *', run: writeDailyEvents },
  ],
  mails: [noticeMail, confirmationMail, operatorMail],
  channels: [webhookChannel],
  prune: [pruneMails, pruneDismissals, pruneRequests, pruneDailyEvents],
}
