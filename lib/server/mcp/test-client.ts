import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  Client,
  PROTOCOL_VERSION_META_KEY,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { POST } from '#app/mcp/route.ts'

// Clients of `/mcp` for tests: the protocol's own library, and single messages as an attacker would write them.

const ADDRESS = 'http://console.example/mcp'
const VERSION = '2026-07-28'

/** Question of a tool to the person, and the person's answer. */
export type Question = { message: string; requestedSchema?: unknown }
export type PersonsAnswer = {
  action: 'accept' | 'decline' | 'cancel'
  content?: Record<string, string | number | boolean>
}

/** Connects the protocol's client library, whose person answers questions with `answer`. */
export async function connect(key: string, answer?: (question: Question) => PersonsAnswer): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1' },
    {
      versionNegotiation: { mode: { pin: VERSION } },
      capabilities: answer ? { elicitation: { form: {} } } : {},
    },
  )
  if (answer)
    client.setRequestHandler('elicitation/create', ({ params }) => answer(params as unknown as Question))
  const transport = new StreamableHTTPClientTransport(new URL(ADDRESS), {
    fetch: (url, init) => POST(new Request(url, init)),
    requestInit: { headers: { Authorization: `Bearer ${key}` } },
  })
  await client.connect(transport)
  return client
}

/** Message to `/mcp`. Undefined headers are left out. */
export type Message = {
  key?: string | undefined
  method?: string
  params?: Record<string, unknown>
  headers?: Record<string, string | undefined>
  body?: string
}

/** Returns the request of one message. */
export function requestOf({ key, method = 'tools/list', params = {}, headers = {}, body }: Message): Request {
  const _meta = {
    [PROTOCOL_VERSION_META_KEY]: VERSION,
    [CLIENT_INFO_META_KEY]: { name: 'test', version: '1' },
    [CLIENT_CAPABILITIES_META_KEY]: { elicitation: { form: {} } },
  }
  const sent: Record<string, string | undefined> = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': VERSION,
    'Mcp-Method': method,
    'Mcp-Name': typeof params.name === 'string' ? params.name : undefined,
    Authorization: key === undefined ? undefined : `Bearer ${key}`,
    ...headers,
  }
  const present = Object.entries(sent).filter((each): each is [string, string] => each[1] !== undefined)
  const message = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }
  return new Request(ADDRESS, { method: 'POST', headers: present, body: body ?? JSON.stringify(message) })
}

/** Result of a tool: structured, or the decoded text of a refusal. */
export type ToolAnswer = {
  isError: boolean
  /** Body of the API's answer, or its problem. */
  body: Record<string, unknown>
  requestState?: string
  message?: string
  url?: string
  text: string
}

/** Calls a tool with one message, and returns its result. */
export async function callTool(
  key: string,
  name: string,
  args: Record<string, unknown>,
  answers: { requestState?: string; inputResponses?: object } = {},
): Promise<ToolAnswer> {
  const params = { name, arguments: args, ...answers }
  const response = await POST(
    requestOf({ key, method: 'tools/call', params, headers: { 'Request-Id': 'always-the-same' } }),
  )
  const { result, error, ...problem } = await response.json()
  // A problem has a member `error`, too.
  if (!result) return { isError: true, body: 'code' in problem ? problem : error, text: '' }
  const { requestState, inputRequests, content = [], structuredContent, isError = false } = result
  const text: string = content[0]?.text ?? ''
  return {
    isError,
    text,
    body: isError ? JSON.parse(text) : structuredContent?.data,
    url: structuredContent?.url,
    requestState,
    message: inputRequests?.confirmation.params.message,
  }
}

/** Returns the person's answers to a tool's question. */
export function accepted(confirm: boolean | string = true): { inputResponses: object } {
  return { inputResponses: { confirmation: { action: 'accept', content: { confirm } } } }
}
