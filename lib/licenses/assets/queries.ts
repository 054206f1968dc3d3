import { queriesOf } from '#lib/platform/api/client.ts'
import { calls } from './calls.ts'
import type * as contract from './contract.ts'

export const { listAssets, readAsset, exportAssets, exportAssetsXlsx } = queriesOf<typeof contract>(calls)
