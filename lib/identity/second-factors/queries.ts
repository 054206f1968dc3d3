import { queriesOf } from '#lib/platform/api/client.ts'
import { calls } from './calls.ts'
import type * as contract from './contract.ts'

export const {
  listFactors,
  addFactor,
  beginFactor,
  removeFactor,
  renewCodes,
  askPasskey,
  confirmPasskey,
  readFactorDemand,
  demandFactor,
  resetFactors,
} = queriesOf<typeof contract>(calls)
