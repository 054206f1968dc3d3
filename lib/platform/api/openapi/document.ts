import 'server-only'
import { z } from 'zod'
import { PERMISSION_NAMES } from '#lib/platform/caller/rules.ts'
import { env } from '#lib/platform/runtime/env.ts'
import { type AnyContract, contract } from '../contract.ts'
import { operation } from '../operation.ts'
import { parametersOf, requestBodyOf } from './parameters.ts'
import { anyProblem, headerComponents, responsesOf } from './responses.ts'
import { type Json, type SchemaOf, schemaWriter } from './schema.ts'
import { apiSettings } from './settings.ts'

/** The calls of one noun, under one heading. */
export type Group = { tag: string; description: string; contracts: readonly AnyContract[] }

const readOpenApi = contract({
  name: 'readOpenApi',
  summary: 'This document',
  description: 'OpenAPI 3.1, made of the same schemas that parse requests and answers. It needs no key.',
  method: 'GET',
  path: '/billing/v1/openapi.json',
  permission: 'none',
  output: z
    .record(z.string(), z.unknown().meta({ description: 'A part of it.' }))
    .meta({ id: 'OpenApiDocument', description: 'An OpenAPI document.' }),
})

const ABOUT: Group = {
  tag: 'About',
  description: 'What the API says of itself.',
  contracts: [readOpenApi],
}

/** The call that answers the document of these contracts, and of itself. */
export function openApiOperation(groups: readonly Group[]) {
  const described = openApi([...groups, ABOUT])
  return operation(readOpenApi, async () => ({ body: { ...described, ...addressed() } }))
}

const DESCRIPTION = [
  'Managed assets, license quantities and invoices.',
  'Authenticate with an API key as a bearer token.',
  'Times are epoch milliseconds; days are the midnight in UTC that begins them.',
  'Every refusal is a problem (RFC 9457) with a stable `code`.',
  'HEAD answers what GET does, without the body.',
  'Answers also carry headers for browsers (Content-Security-Policy and the like), which no other client needs.',
  'Unknown query parameters are ignored.',
  'Additions (fields, parameters, codes) are not breaking: ignore what you do not know.',
].join(' ')

/** What depends on where the console runs, and for whom. */
function addressed(): Json {
  const { baseUrl } = env()
  const apiInfo = apiSettings()
  return {
    info: {
      title: 'Licenses & Invoices',
      version: '1.0.0',
      description: DESCRIPTION,
      contact: { ...apiInfo.contact, url: baseUrl },
      license: apiInfo.license,
    },
    servers: [{ url: baseUrl, description: 'This console.' }],
  }
}

/** The OpenAPI 3.1 document of these contracts, made from the same schemas that parse requests. */
function openApi(groups: readonly Group[]): Json {
  const schemas: Record<string, Json> = {}
  const schema = schemaWriter(schemas)
  schemas.Problem = anyProblem(schema)
  const paths: Record<string, Json> = {}
  for (const { tag, contracts } of groups) {
    for (const each of contracts) {
      const call = { tags: [tag], ...operationOf(each, schema) }
      paths[each.path] = { ...paths[each.path], [each.method.toLowerCase()]: call }
    }
  }
  return {
    openapi: '3.1.1',
    // Replaced at each request; they stand here for their place in the document.
    info: {},
    servers: [],
    tags: groups.map(({ tag, description }) => ({ name: tag, description })),
    security: [{ apiKey: [] }],
    paths,
    components: {
      schemas,
      headers: headerComponents(paths),
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'lic_…',
          description: 'An API key of a customer. It holds roles, and these hold the permissions.',
        },
      },
    },
  }
}

/** One operation of OpenAPI: what a contract says of its call. */
function operationOf(contract: AnyContract, schema: SchemaOf): Json {
  const { name, summary, description, permission } = contract
  const needs = permission in PERMISSION_NAMES ? permission : undefined
  return {
    operationId: name,
    summary,
    description: needs ? `${description}\n\nPermission: ${nameOf(needs)}.` : description,
    ...(permission === 'none' ? { security: [] } : {}),
    parameters: parametersOf(contract, schema),
    ...requestBodyOf(contract, schema),
    responses: responsesOf(contract, schema),
  }
}

function nameOf(permission: string): string {
  return PERMISSION_NAMES[permission as keyof typeof PERMISSION_NAMES]
}
