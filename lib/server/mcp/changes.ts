import 'server-only'
import {
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  type Tool as ToolDefinition,
} from '@modelcontextprotocol/server'
import type { AssetListItem } from '#lib/licenses/assets/contract.ts'
import {
  type ChangeCall,
  issueConfirmation,
  isUsed,
  type Preview,
  type RejectionReason,
  readConfirmation,
  recordUse,
} from '#lib/platform/api/confirmations.ts'
import type { AnyContract } from '#lib/platform/api/contract.ts'
import { toProblem } from '#lib/platform/api/error-mapper.ts'
import type { AnyOperation, Confirm, RequestMeta } from '#lib/platform/api/operation.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { readScope, scope } from '#lib/platform/db/scope.ts'
import {
  type Args,
  type AssistantRequest,
  type Called,
  type CallParts,
  call,
  dataText,
  problemResult,
  resultOf,
  thrownResult,
} from './api-call.ts'
import { previewAcknowledgement, previewQuantity, previewRenewal, previewWithdrawal } from './previews.ts'
import {
  type Answers,
  annotationsOf,
  describedWith,
  outputOf,
  screenOf,
  type Tool,
  unknownOf,
} from './tools.ts'

/** Preview for a person, or the answer that makes a confirmation needless. */
export type Previewed = { message: string; preview: Preview } | { answer: Called }

/** Operations that the tools call: routes know them. */
export type Operations = Record<
  | 'setQuantity'
  | 'readLicenseChange'
  | 'acknowledgeLicenseChange'
  | 'readRenewal'
  | 'orderRenewal'
  | 'withdrawRenewal',
  AnyOperation
> & { readAssetItem(caller: Caller, id: string, meta: RequestMeta): Promise<AssetListItem> }

/** Request of a preview, with the operations that it reads with. */
export type PreviewRequest = AssistantRequest & { operations: Operations }

type Change = {
  name: string
  operation: AnyOperation
  input: ToolDefinition['inputSchema']
  /** Returns the body of the call. `typed` is the text that the person typed. */
  bodyOf(args: Args, typed?: string): unknown
  /** Returns the preview of the change. */
  preview(request: PreviewRequest, args: Args, dryRun: DryRun): Promise<Previewed>
  /** Whether the operation compares the version of the seats itself: else the confirmation does. */
  comparesSeats?: boolean
}

/** Runs all checks of the change, and changes nothing. Undefined where it would be made. */
export type DryRun = (typed?: string) => Promise<Called | undefined>

const text = (description: string) => ({ type: 'string', description })
const total = (description: string) => ({ type: 'integer', minimum: 0, description })
const ASSET = { asset_id: text('The `id` of an asset.') }

function changesWith(operations: Operations): readonly Change[] {
  return [
    {
      name: 'set_license_quantity',
      operation: operations.setQuantity,
      input: inputOf({ ...ASSET, quantity: total('Total number of licenses after the change.') }, [
        'asset_id',
        'quantity',
      ]),
      bodyOf: ({ quantity }) => ({ quantity }),
      preview: previewQuantity,
      comparesSeats: true,
    },
    {
      name: 'order_renewal',
      operation: operations.orderRenewal,
      input: inputOf(
        {
          ...ASSET,
          quantity: total('The total of the next term.'),
          renewalType: text('One of `renewalTypes` of `read_renewal`, where the vendor takes no total.'),
          action: { enum: ['cancel', 'extended-term'], description: 'One of `actions` of `read_renewal`.' },
        },
        ['asset_id'],
      ),
      bodyOf: ({ asset_id: _, ...body }, typed) => ({ ...body, ...(body.action ? { confirm: typed } : {}) }),
      preview: previewRenewal,
    },
    {
      name: 'withdraw_renewal_order',
      operation: operations.withdrawRenewal,
      input: inputOf(ASSET, ['asset_id']),
      bodyOf: () => ({}),
      preview: previewWithdrawal,
    },
    {
      name: 'acknowledge_license_change',
      operation: operations.acknowledgeLicenseChange,
      input: inputOf({ change_id: text('The `id` of a change in the state UNCLEAR.') }, ['change_id']),
      bodyOf: () => ({}),
      preview: previewAcknowledgement,
    },
  ]
}

function inputOf(properties: Record<string, object>, required: string[]): ToolDefinition['inputSchema'] {
  return {
    type: 'object',
    properties,
    required,
    additionalProperties: false,
  } as ToolDefinition['inputSchema']
}

/** Returns the tools that change something, each after a person has confirmed its preview. */
export function changeTools(operations: Operations): Tool[] {
  return changesWith(operations).map((change) => {
    const contract: AnyContract = change.operation.contract
    return {
      definition: {
        name: change.name,
        title: contract.summary,
        description: `${describedWith(contract)} First shows the person what would happen, and changes it only when the person confirms within five minutes.`,
        inputSchema: change.input,
        outputSchema: outputOf(contract.output),
        annotations: annotationsOf(false),
      },
      permission: contract.permission,
      run: (request, args, answers) => {
        const unknown = unknownOf(change.input, args)
        return unknown
          ? Promise.resolve(thrownResult(unknown, request.requestId))
          : run(change, { ...request, operations }, args, answers)
      },
    }
  })
}

async function run(change: Change, request: PreviewRequest, args: Args, answers: Answers) {
  const { caller } = request.counted
  const answer = answers.responses?.[KEY]
  const changeCall: ChangeCall = { caller, tool: change.name, args }
  if (answers.requestState === undefined || answer === undefined)
    return requestConfirmation(change, request, changeCall)
  const confirmation = readConfirmation(answers.requestState, changeCall)
  // The protocol demands an error for a token that was not issued here.
  if (confirmation === 'unknown') throw new ProtocolError(ProtocolErrorCode.InvalidParams, REASONS.unknown)
  if (typeof confirmation === 'string') return rejected(confirmation)
  const { id, preview } = confirmation
  if (await readScope(caller, (tx) => isUsed(tx, caller.customerId, id))) return rejected('used')
  const typed = acceptedText(answer)
  if (typed === undefined) {
    await scope(caller, (tx) => recordUse(tx, caller.customerId, id), { evenIfClosed: true })
    return rejected('declined')
  }
  if (preview.typed !== undefined && !isTyped(typed, preview.typed)) return rejected('not_typed')
  return make(change, request, args, { id, preview, typed })
}

/** Answers the preview of a change, and asks the person to confirm it. */
async function requestConfirmation(change: Change, request: PreviewRequest, changeCall: ChangeCall) {
  const { args } = changeCall
  const dryRun: DryRun = (typed) => tryOut(change, request, args, typed)
  const previewed = await change.preview(request, args, dryRun).catch((error: unknown) => {
    if (!(error instanceof Problem)) throw error
    return { problem: toProblem(error) }
  })
  if ('problem' in previewed) return thrownResult(previewed.problem, request.requestId)
  if ('answer' in previewed) return answered(change, args, previewed.answer)
  const { message, preview } = previewed
  const { typed } = preview
  const field =
    typed === undefined
      ? { type: 'boolean' as const, title: 'Make this change', default: false }
      : { type: 'string' as const, title: `Type ${dataText(typed)} to confirm`, maxLength: 300 }
  return inputRequired({
    requestState: issueConfirmation(changeCall, preview),
    inputRequests: {
      [KEY]: inputRequired.elicit({
        message,
        requestedSchema: { type: 'object', properties: { [FIELD]: field }, required: [FIELD] },
      }),
    },
  })
}

/** Name of the question, and of the field of its form. */
const KEY = 'confirmation'
const FIELD = 'confirm'

/** Returns the text that the person typed, empty for a ticked box; undefined where the person did not accept. */
function acceptedText(answer: unknown): string | undefined {
  const { action, content } = Object(answer) as { action?: unknown; content?: unknown }
  const value = (Object(content) as Record<string, unknown>)[FIELD]
  if (action !== 'accept' || value === false) return undefined
  if (value === true) return ''
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

/** Returns whether a text was typed as demanded: a total also with separators, as the console takes it. */
function isTyped(typed: string, demanded: string): boolean {
  return (
    typed.trim() === demanded.trim() || (/^\d+$/.test(demanded) && typed.replace(/[\s,.]/g, '') === demanded)
  )
}

/** Makes a confirmed change. The confirmation is used in the same transaction. */
async function make(
  change: Change,
  request: AssistantRequest,
  args: Args,
  { id, preview, typed }: { id: string; preview: Preview; typed: string },
) {
  const { customerId } = request.counted.caller as Caller
  let rejection: RejectionReason | undefined
  const reject = (reason: RejectionReason): never => {
    rejection = reason
    // Undoes the change. The assistant gets the reason instead.
    throw new Problem('change_in_progress')
  }
  const confirm: Confirm = async (tx, seatVersion) => {
    if (!(await recordUse(tx, customerId, id))) reject('used')
    if (!change.comparesSeats && String(seatVersion) !== preview.seatVersion) reject('stale')
  }
  const version = change.comparesSeats ? preview.seatVersion : preview.renewalVersion
  const called = await call(change.operation, request, {
    ...partsOf(change, args, typed),
    ...(version === undefined ? {} : { ifMatch: `"${version}."` }),
    confirm,
  })
  return rejection ? rejected(rejection) : answered(change, args, called)
}

/** Makes the change in a transaction that is rolled back. */
async function tryOut(
  change: Change,
  request: AssistantRequest,
  args: Args,
  typed: string | undefined,
): Promise<Called | undefined> {
  let isPossible = false
  const confirm: Confirm = async () => {
    isPossible = true
    throw new Problem('change_in_progress')
  }
  const called = await call(change.operation, request, {
    ...partsOf(change, args, typed),
    confirm,
    isDryRun: true,
  })
  return isPossible ? undefined : called
}

function partsOf(change: Change, args: Args, typed: string | undefined): CallParts {
  return { args: pathArgs(change.operation, args), body: change.bodyOf(args, typed) }
}

/** Returns the arguments that name the asset or change, in the path. */
function pathArgs({ contract }: AnyOperation, args: Args): Args {
  const inPath = Object.entries(args).filter(([name]) => contract.path.includes(`{${name}}`))
  return Object.fromEntries(inPath)
}

function answered({ operation }: Change, args: Args, called: Called) {
  if (called.status !== 200) return problemResult(called)
  return resultOf(screenOf(operation.contract, pathArgs(operation, args)), called.body)
}

const REASONS: Readonly<Record<RejectionReason, string>> = {
  unknown: 'The confirmation was not issued here.',
  other_caller: 'The confirmation was issued to another key.',
  other_arguments: 'The confirmation was issued for other arguments or another tool.',
  expired: 'The confirmation has expired: it holds for five minutes.',
  used: 'The confirmation was used already.',
  stale: 'The asset was changed since the person saw the preview.',
  declined: 'The person did not confirm.',
  not_typed: 'The person did not type the text that the form demands.',
}

/** Returns the result of a refused confirmation: nothing was changed. */
function rejected(reason: RejectionReason) {
  const detail = `${REASONS[reason]} Nothing was changed. Call the tool again to show a new preview.`
  return problemResult({ headers: {}, body: { code: 'confirmation_refused', reason, detail } })
}
