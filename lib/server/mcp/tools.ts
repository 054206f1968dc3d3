import 'server-only'
import type {
  CallToolResult,
  InputRequiredResult,
  Tool as ToolDefinition,
} from '@modelcontextprotocol/server'
import type { z } from 'zod'
import type { AnyContract } from '#lib/platform/api/contract.ts'
import { type Json, parametersOf, schemaWriter } from '#lib/platform/api/openapi/document.ts'
import type { AnyOperation } from '#lib/platform/api/operation.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { type Caller, may, PERMISSION_NAMES } from '#lib/platform/caller/rules.ts'
import {
  type Args,
  type AssistantRequest,
  call,
  changedResult,
  problemResult,
  resultOf,
  thrownResult,
  tooLargeResult,
} from './api-call.ts'
import { isPart, partsOf } from './parts.ts'

/** Answers of a person to the question of a tool, and the token that the tool sent with its question. */
export type Answers = { requestState?: string | undefined; responses?: Record<string, unknown> | undefined }

/** Tool of the assistants' server. */
export type Tool = {
  definition: ToolDefinition
  permission: AnyContract['permission']
  run(request: AssistantRequest, args: Args, answers: Answers): Promise<CallToolResult | InputRequiredResult>
}

/** Screens of the console, each with the contracts whose answers it shows. Queries have the same names there. */
const SCREENS: Readonly<Record<string, string>> = {
  '/assets': 'listAssets summarizeAssets',
  '/assets/{asset_id}': 'readAsset readAssetPosting readRenewal setQuantity orderRenewal withdrawRenewal',
  '/activity': 'acknowledgeLicenseChange listLicenseChanges readLicenseChange',
  '/assets/renewals': 'listRenewals',
  '/activity/events': 'listAuditEvents',
  '/invoices': 'listInvoices summarizeInvoices readBilledProducts',
  '/invoices/{invoice_id}': 'readInvoice listCharges',
  '/invoices/compare': 'compareInvoices',
  '/invoices/explain': 'explainMonth',
  '/invoices/account': 'listPayments readAccount',
  '/invoices/statement': 'readStatement',
  '/invoices/profiles': 'listBillingProfiles readBillingProfile',
  '/notifications': 'listNoticeRecipients',
  '/': 'listNeeds listMatches',
  '/members': 'listMembers readMember readPriceVisibility readFactorDemand',
  '/sign-on': 'readSignOn',
  '/sign-on/directory': 'readDirectory',
  '/webhooks': 'listWebhooks',
  '/webhooks/{webhook_id}': 'readWebhook listWebhookDeliveries readWebhookDelivery',
  '/keys': 'listKeys readKey validateKey',
  '/sessions': 'listSessions',
}

/** Arguments of a page of a list, which a screen does not have. */
const OF_PAGE = ['maxResults', 'pageToken', 'view', 'part', 'version']

/** Returns the address of the screen that shows the answer of a call. */
export function screenOf({ name, path }: AnyContract, args: Args): string {
  const template = Object.keys(SCREENS).find((each) => SCREENS[each]?.split(' ').includes(name))
  if (template === undefined) throw new Error(`lib/server/mcp/tools.ts names no screen of ${name}.`)
  const screen = template.replaceAll(/\{(\w+)\}/g, (_, part: string) =>
    encodeURIComponent(String(args[part])),
  )
  const query = Object.entries(args).filter(
    ([part]) => !path.includes(`{${part}}`) && !OF_PAGE.includes(part),
  )
  const search = new URLSearchParams(query.map(([part, value]) => [part, String(value)])).toString()
  return search === '' || screen === '/' ? screen : `${screen}?${search}`
}

/** Returns the tools of these operations: one for each read in JSON that a key may call. */
export function readTools(operations: readonly AnyOperation[]): Tool[] {
  return operations.filter(({ contract }) => isReadable(contract)).map(readTool)
}

/** Returns whether a call is a read in JSON that a key may call. */
export function isReadable({ method, permission, output, examples, protocol }: AnyContract): boolean {
  const { streamed, mediaType } = output.meta() ?? {}
  const isJson = !streamed && mediaType === undefined && !protocol
  const isForKeys = examples.some(({ by, answer }) => by !== 'session' && answer.status === 200)
  return method === 'GET' && permission !== 'none' && isJson && isForKeys
}

/** Returns the annotations of a tool: clients choose from them when to warn. */
export function annotationsOf(isRead: boolean): NonNullable<ToolDefinition['annotations']> {
  const forChange = isRead ? [] : [['destructiveHint', true] as const, ['idempotentHint', false] as const]
  return Object.fromEntries([['readOnlyHint', isRead], ['openWorldHint', !isRead], ...forChange])
}

/** Arguments of every read tool. */
const OF_PARTS = {
  part: { type: 'integer', minimum: 1, description: 'Part of a large answer, 1 by default.' },
  version: { type: 'string', description: 'Version of part 1.' },
}

function readTool(operation: AnyOperation): Tool {
  const contract: AnyContract = operation.contract
  const inputSchema = inputOf(contract)
  return {
    definition: {
      name: toolName(contract.name),
      title: contract.summary,
      description: describedWith(contract),
      inputSchema,
      outputSchema: outputOf(contract.output),
      annotations: annotationsOf(true),
    },
    permission: contract.permission,
    async run(request, args) {
      const unknown = unknownOf(inputSchema, args)
      if (unknown) return thrownResult(unknown, request.requestId)
      const { part = 1, version, ...parameters } = args
      const address = screenOf(contract, args)
      const called = await call(operation, request, { args: parameters })
      if (called.isTooLarge) return tooLargeResult(address)
      if (called.status !== 200) return problemResult(called)
      const current = called.headers.ETag?.replaceAll('"', '')
      if (version !== undefined && version !== current) return changedResult()
      const parts = partsOf(called.body)
      const content = parts[Number(part) - 1]
      if (content === undefined) return thrownResult(noPart(parts.length), request.requestId)
      if (!isPart(content)) return tooLargeResult(address)
      const more = parts.length === 1 ? {} : { part: Number(part), parts: parts.length, version: current }
      return resultOf(address, content, more)
    },
  }
}

function noPart(parts: number): Problem {
  const detail = `must be a number from 1 to ${parts}`
  return new Problem('invalid_request', `part: ${detail}`, { errors: [{ parameter: 'part', detail }] })
}

/** Returns the name of a contract's tool: `list_assets` for `listAssets`. */
export function toolName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** Returns a contract's description, and the permission that it needs. */
export function describedWith({ description, permission }: AnyContract): string {
  const needs = PERMISSION_NAMES[permission as keyof typeof PERMISSION_NAMES]
  return needs ? `${description} Permission: ${needs}.` : description
}

/** Returns the schema of a tool's arguments: the path's and the query's parameters, with the contract's examples. */
function inputOf(contract: AnyContract): ToolDefinition['inputSchema'] {
  const parameters = parametersOf(contract, schemaWriter({})).filter((each) => each.in !== 'header')
  const properties = Object.fromEntries(
    parameters.map(({ name, description, schema }) => [name, { ...(schema as Json), description }]),
  )
  const examples = contract.examples.flatMap(({ params, query, by, answer }) =>
    by !== 'session' && answer.status === 200 ? [{ ...params, ...query }] : [],
  )
  return {
    type: 'object',
    properties: { ...properties, ...OF_PARTS },
    required: parameters.flatMap(({ name, required }) => (required ? [String(name)] : [])),
    additionalProperties: false,
    examples,
  }
}

const TEXT = { type: 'string' }
const COUNT = { type: 'integer' }

/** Keywords that a reader of results does not need: `/developers` has them. A list of a part may also be empty. */
const OMITTED = [
  'description',
  'format',
  'maximum',
  'maxLength',
  'minimum',
  'minItems',
  'minLength',
  'pattern',
]

/** Returns the schema of a tool's structured result, except its parts that the instructions describe. */
export function outputOf(output: z.ZodType): NonNullable<ToolDefinition['outputSchema']> {
  const schemas: Record<string, Json> = {}
  const data = schemaWriter(schemas)(output, 'output')
  const whole = {
    type: 'object',
    properties: { notice: TEXT, url: TEXT, part: COUNT, parts: COUNT, version: TEXT, data },
    required: ['notice', 'url', 'data'],
    $defs: schemas,
  }
  const text = JSON.stringify(whole, (name, value) =>
    OMITTED.includes(name) && typeof value !== 'object' ? undefined : value,
  )
  return JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/'))
}

/** Returns the problem of arguments that a tool does not have, or that are no plain values. */
export function unknownOf(schema: ToolDefinition['inputSchema'], args: Args): Problem | undefined {
  const names = Object.keys(schema.properties ?? {})
  const errors = Object.entries(args).flatMap(([parameter, value]) => {
    if (!names.includes(parameter))
      return [{ parameter: parameter.slice(0, 100), detail: 'is not a known argument' }]
    return ['string', 'number', 'boolean'].includes(typeof value)
      ? []
      : [{ parameter, detail: 'must be a text, a number, or true or false' }]
  })
  if (errors.length === 0) return undefined
  const detail = errors.map(({ parameter, detail }) => `${parameter}: ${detail}`).join('; ')
  return new Problem('invalid_request', detail, { errors: errors.slice(0, 20) })
}

/** Returns whether the caller may use a tool; others are not listed. */
export function isAllowed({ permission }: Tool, caller: Caller): boolean {
  return permission === 'any' || (permission !== 'none' && may(caller, permission))
}
