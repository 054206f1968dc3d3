import * as operations from '#lib/licenses/assets/operations.ts'
import * as changes from '#lib/licenses/license-changes/operations.ts'
import { route } from '#lib/platform/api/endpoint.ts'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(
  operations.readAsset,
  changes.setQuantity,
)
