import { queriesOf } from '#lib/platform/api/client.ts'
import type * as needs from './needs/contract.ts'
import { needRoutes } from './routes.ts'

// Every screen loads these for its count of needs: webhooks and recipients have a client of their own.
export const { listNeeds, dismissNeed, restoreNeed, readNeedsMail, setNeedsMail } =
  queriesOf<typeof needs>(needRoutes)
