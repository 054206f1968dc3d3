import { queriesOf } from '#lib/platform/api/client.ts'
import type * as contract from './contract.ts'
import { needRoutes } from './routes.ts'

export const { listNeeds, dismissNeed, restoreNeed, readNeedsMail, setNeedsMail } =
  queriesOf<typeof contract>(needRoutes)
