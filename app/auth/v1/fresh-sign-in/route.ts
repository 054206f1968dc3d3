import * as operations from '#lib/access/operations.ts'
import { route } from '#lib/api/endpoint.ts'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  operations.readWays,
  operations.proveSession,
)
