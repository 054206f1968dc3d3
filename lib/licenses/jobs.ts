import 'server-only'
import type { BackgroundWork } from '#lib/platform/db/background.ts'
import { pruneSeatSamples } from './assets/store.ts'
import { readVendors, reconcileOpenChanges } from './license-changes/jobs.ts'
import { mailOrders } from './renewal-orders/mails.ts'
import { reconcileOrders } from './renewal-orders/reconcile.ts'

export const licensesWork: BackgroundWork = {
  jobs: [
    { name: 'settle-open-changes', cron: '* * * * *', run: reconcileOpenChanges },
    { name: 'read-vendors', cron: '* * * * *', run: readVendors },
    { name: 'see-to-renewal-orders', cron: '* * * * *', run: reconcileOrders },
    { name: 'tell-of-renewal-orders', cron: '27 * * * *', run: mailOrders },
  ],
  prune: [pruneSeatSamples],
}
