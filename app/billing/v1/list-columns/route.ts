import { route } from '#lib/api/endpoint.ts'
import * as operations from '#lib/list-columns/operations.ts'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  operations.readListColumns,
  operations.setListColumns,
)
