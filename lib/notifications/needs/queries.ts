import { queriesOf } from '#lib/platform/api/client.ts'
import { calls } from './calls.ts'
import type * as contract from './contract.ts'

export const { listNeeds, dismissNeed, restoreNeed, readNeedsMail, setNeedsMail } =
  queriesOf<typeof contract>(calls)
