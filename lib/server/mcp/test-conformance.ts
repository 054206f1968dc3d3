import {
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { issueConfirmation, readConfirmation } from '#lib/platform/api/confirmations.ts'
import type { AssistantRequest } from './api-call.ts'

// The server that the protocol's conformance suite asks for: its tools, prompts and resources are made to exercise each
// part of the protocol, also those parts that the product does not offer. The endpoint serves it like the product's own.

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const text = (value: string) => ({ type: 'text' as const, text: value })
const image = { type: 'image' as const, data: PNG, mimeType: 'image/png' }
const resource = (uri: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType: 'text/plain', text: 'Embedded.' },
})
const textResult = (value: string) => ({ content: [text(value)] })

const elicit = (message: string, field: string, type: 'string' | 'boolean' = 'string') =>
  inputRequired.elicit({
    message,
    requestedSchema: {
      type: 'object',
      properties: { [field]: { type } as { type: 'string' } },
      required: [field],
    },
  })
const sample = (value: string) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: text(value) }], maxTokens: 100 })
const name = () => elicit('What is your name?', 'name')

type Run = (context: ServerContext, token: Tokens) => object | Promise<object>
/** Tokens as a tool that changes something uses them: bound to the caller and the tool. */
type Tokens = { issue(round?: number): string; check(round?: number): void }
const answersOf = ({ mcpReq }: ServerContext) => mcpReq.inputResponses ?? {}

/** Asks once with a token, and accepts only that token. */
const confirmed: Run = (context, { issue, check }) => {
  if (Object.keys(answersOf(context)).length === 0)
    return inputRequired({
      requestState: issue(),
      inputRequests: { confirm: elicit('Confirm?', 'ok', 'boolean') },
    })
  check()
  return textResult('state-ok')
}

const PREFIX = 'test_input_required_result_'
const TOOLS: Record<string, Run> = {
  test_simple_text: () => textResult('This is a simple text response for testing.'),
  test_image_content: () => ({ content: [image] }),
  test_audio_content: () => ({ content: [{ type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' }] }),
  test_embedded_resource: () => ({ content: [resource('test://embedded-resource')] }),
  test_multiple_content_types: () => ({ content: [text('Mixed:'), image, resource('test://mixed')] }),
  test_error_handling: () => ({ ...textResult('This tool intentionally returns an error.'), isError: true }),
  test_missing_capability: () => inputRequired({ inputRequests: { first: sample('x') } }),
  test_streaming_elicitation: () => inputRequired({ inputRequests: { first: name() } }),
  async test_logging_tool({ mcpReq }) {
    await mcpReq.log('info', 'A message that nobody asked for.')
    return textResult('logged')
  },
  async test_tool_with_progress({ mcpReq }) {
    const progressToken = mcpReq._meta?.progressToken
    for (const progress of [0, 50, 100])
      if (progressToken !== undefined)
        await mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken, progress, total: 100 },
        })
    return textResult('done')
  },
  [`${PREFIX}elicitation`](context) {
    const { action, content } = Object(answersOf(context).user_name)
    return action === 'accept' && typeof content?.name === 'string'
      ? textResult(`Hello, ${content.name}!`)
      : inputRequired({ inputRequests: { user_name: name() } })
  },
  [`${PREFIX}sampling`]: (context) =>
    answersOf(context).capital_question
      ? textResult(JSON.stringify(answersOf(context)))
      : inputRequired({ inputRequests: { capital_question: sample('What is the capital of France?') } }),
  [`${PREFIX}list_roots`]: (context) =>
    answersOf(context).client_roots
      ? textResult(JSON.stringify(answersOf(context)))
      : inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } }),
  [`${PREFIX}request_state`]: confirmed,
  [`${PREFIX}tampered_state`]: confirmed,
  [`${PREFIX}capabilities`]({ mcpReq }) {
    const { sampling, elicitation } = Object(Object(mcpReq.envelope)[CLIENT_CAPABILITIES_META_KEY])
    const inputRequests = {
      ...(sampling && { first: sample('x') }),
      ...(elicitation && { user_name: name() }),
    }
    return inputRequired({ inputRequests })
  },
  [`${PREFIX}multiple_inputs`](context, { issue, check }) {
    if (Object.keys(answersOf(context)).length < 3) {
      const others = { greeting: sample('Greet.'), client_roots: inputRequired.listRoots() }
      return inputRequired({ requestState: issue(), inputRequests: { user_name: name(), ...others } })
    }
    check()
    return textResult('done')
  },
  [`${PREFIX}multi_round`](context, { issue, check }) {
    const { step1, step2 } = answersOf(context)
    if (!step1 && !step2)
      return inputRequired({ requestState: issue(1), inputRequests: { step1: elicit('Step 1', 'name') } })
    check(step1 ? 1 : 2)
    return step1
      ? inputRequired({ requestState: issue(2), inputRequests: { step2: elicit('Step 2', 'color') } })
      : textResult('done')
  },
}

/** Tool whose schema has keywords that a list must not lose. */
const SCHEMA_TOOL = {
  name: 'json_schema_2020_12_tool',
  description: 'Tool with JSON Schema 2020-12 features',
  inputSchema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object' as const,
    $defs: { address: { $anchor: 'addressDef', type: 'object', properties: { street: { type: 'string' } } } },
    properties: {
      address: { $ref: '#/$defs/address' },
      phone: { type: 'string' },
      email: { type: 'string' },
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { required: ['phone'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ['phone'] },
    else: { required: ['email'] },
    additionalProperties: false,
  },
}

type PromptArgs = Record<string, string>
const PROMPTS: Record<string, (args: PromptArgs) => object[]> = {
  test_simple_prompt: () => [text('This is a simple prompt for testing.')],
  test_prompt_with_arguments: ({ arg1, arg2 }) => [
    text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`),
  ],
  test_prompt_with_embedded_resource: ({ resourceUri = '' }) => [resource(resourceUri), text('Process it.')],
  test_prompt_with_image: () => [image, text('Look at it.')],
}

const RESOURCES: Record<string, object> = {
  'test://static-text': { mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
  'test://static-binary': { mimeType: 'image/png', blob: PNG },
}

/** Returns the content of a resource. @throws ProtocolError for one that is not there */
function contentOf(uri: string): object {
  const id = /^test:\/\/template\/(\w+)\/data$/.exec(uri)?.[1]
  const content = id ? { mimeType: 'application/json', text: JSON.stringify({ id }) } : RESOURCES[uri]
  if (!content) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Resource not found', { uri })
  return { uri, ...content }
}

/** Returns the suite's server for one request. */
export function suiteServer({ counted }: AssistantRequest): Server {
  const server = new Server(
    { name: 'conformance', version: '1' },
    { capabilities: { tools: {}, prompts: {}, resources: {}, completions: {}, logging: {} } },
  )
  const listed = Object.keys(TOOLS).map((tool) => ({
    ...{ name: tool, description: `Exercises ${tool}.` },
    inputSchema: { type: 'object' as const },
  }))
  server.setRequestHandler('tools/list', () => ({ tools: [...listed, SCHEMA_TOOL] }) as never)
  server.setRequestHandler('tools/call', ({ params }, context) => {
    const run = TOOLS[params.name]
    if (!run) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no tool of this name.')
    const boundTo = (round = 1) => ({ caller: counted.caller, tool: params.name, args: { round } })
    const token = context.mcpReq.requestState<string>() ?? ''
    return run(context, {
      issue: (round) => issueConfirmation(boundTo(round), { seatVersion: '1' }),
      check(round) {
        const read = readConfirmation(token, boundTo(round))
        if (typeof read === 'string') throw new ProtocolError(ProtocolErrorCode.InvalidParams, read)
      },
    }) as never
  })
  server.setRequestHandler('prompts/list', () => ({
    prompts: Object.keys(PROMPTS).map((prompt) => ({ name: prompt, description: `Exercises ${prompt}.` })),
  }))
  server.setRequestHandler('prompts/get', ({ params }, { mcpReq }) => {
    if (params.name === `${PREFIX}prompt` && !mcpReq.inputResponses)
      return inputRequired({ inputRequests: { user_context: elicit('Context?', 'context') } }) as never
    const contents = PROMPTS[params.name]?.(params.arguments ?? {}) ?? [
      text(JSON.stringify(mcpReq.inputResponses)),
    ]
    return { messages: contents.map((content) => ({ role: 'user', content })) } as never
  })
  server.setRequestHandler('completion/complete', () => ({
    completion: { values: [], total: 0, hasMore: false },
  }))
  server.setRequestHandler('resources/list', () => ({
    resources: Object.keys(RESOURCES).map((uri) => ({ uri, name: uri, description: uri })),
  }))
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'template' }],
  }))
  server.setRequestHandler('resources/read', ({ params }) => ({ contents: [contentOf(params.uri)] }) as never)
  return server
}
