import { unknownPath } from '#lib/platform/api/endpoint.ts'

/** Answers unknown paths below `/billing`, also `/billing/v1`, with a 404 in JSON, where Next would send a page. */
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = unknownPath()
