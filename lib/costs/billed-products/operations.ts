import 'server-only'
import { operation } from '#lib/platform/api/operation.ts'
import { refuseTimeout } from '#lib/platform/api/problem.ts'
import { readScopeAtOnce } from '#lib/platform/db/scope.ts'
import * as contract from './contract.ts'
import { serializeProducts } from './serialize.ts'
import { sumProducts } from './store.ts'

const refuseTooManyLines = refuseTimeout(
  'To add up these lines takes longer than a request may. A shorter time, one platform or one billing profile makes them fewer.',
)

export const readBilledProducts = operation(contract.readBilledProducts, async (caller, { query }) => ({
  body: serializeProducts(
    await readScopeAtOnce(caller, (tx) => sumProducts(tx, caller, query), { mayBeOld: true }).catch(
      refuseTooManyLines,
    ),
  ),
}))
