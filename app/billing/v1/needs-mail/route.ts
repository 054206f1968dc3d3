import { route } from '#lib/api/endpoint.ts'
import * as operations from '#lib/needs/operations.ts'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  operations.readNeedsMail,
  operations.setNeedsMail,
)
