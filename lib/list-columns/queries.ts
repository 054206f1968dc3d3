import { queriesOf } from '#lib/api/client.ts'
import { calls } from './calls.ts'
import type * as contract from './contract.ts'

export const { setListColumns } = queriesOf<typeof contract>(calls)
