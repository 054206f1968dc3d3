import { queriesOf } from '#lib/platform/api/client.ts'
import { calls } from './calls.ts'
import type * as contract from './contract.ts'

export const { changePassword, readWays, proveSession, redeemLink, askRecovery } =
  queriesOf<typeof contract>(calls)
