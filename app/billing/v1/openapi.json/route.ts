import { route } from '#lib/platform/api/endpoint.ts'
import { openApiOperation } from '#lib/platform/api/openapi/document.ts'
import { TAGS } from './tags.ts'

export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = route(openApiOperation(TAGS))
