import 'server-only'
import type { BackgroundWork } from '#lib/platform/db/background.ts'
import { pruneSeatSamples } from './assets/store.ts'
import { readVendors, reconcileOpenChanges } from './license-changes/jobs.ts'
import { reconcileOrders } from './renewal-orders/jobs.ts'
import { mailOrders } from './renewal-orders/mails.ts'

export const licensesWork: BackgroundWork = {
  jobs: [
    { name: 'settle-open-changes', cron: '* * * * *', run: reconcileOpenChanges },
    { name: 'read-vendors', cron: '* * * * *', run: readVendors },
    { name: 'see-to-renewal-orders', cron: '* * * * *', run: reconcileOrders },
    { name: 'tell-of-renewal-orders', cron: '27 * * * *', run: mailOrders },
  ],
  prune: [pruneSeatSamples],
}
