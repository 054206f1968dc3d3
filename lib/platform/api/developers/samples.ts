import type { AnyContract } from '../contract.ts'
import type { Example } from '../openapi/example.ts'

/** Request of an example, as the samples write it. */
export type SampleRequest = {
  method: string
  url: string
  headers: Record<string, string>
  body?: unknown
  /** Name under which the answer is saved; undefined where it is JSON. */
  file?: string
}

/**
 * Returns the example of a call that the samples show: the first one that succeeds with a key.
 * @returns undefined where only a signed-in member can make the call
 */
export function sampleOf({ examples }: AnyContract): Example | undefined {
  return examples.find(({ answer, by }) => answer.status === 200 && by === undefined)
}

/** Returns the request of an example, at this address. */
export function requestOf(contract: AnyContract, example: Example, baseUrl: string): SampleRequest {
  const { params = {}, query = {}, headers = {}, body } = example
  const path = contract.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? ''))
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
  const file = fileOf(contract)
  return {
    method: contract.method,
    url: `${baseUrl}${path}${search.size > 0 ? `?${search}` : ''}`,
    headers: body === undefined ? headers : { ...headers, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body }),
    ...(file ? { file } : {}),
  }
}

function fileOf({ path, output }: AnyContract): string | undefined {
  if (output.meta()?.mediaType === undefined) return undefined
  const name = path.split('/').at(-1) ?? ''
  return name.includes('.') ? name : 'invoice.pdf'
}

export const LANGUAGES = ['curl', 'TypeScript', 'Python'] as const
export type Language = (typeof LANGUAGES)[number]

/** Returns a program that makes a request with the key in the environment variable API_KEY, and prints or saves the answer. */
export function sampleText(language: Language, request: SampleRequest): string {
  return WRITERS[language](request)
}

const WRITERS: Record<Language, (request: SampleRequest) => string> = {
  curl({ method, url, headers, body, file }) {
    return [
      'curl --fail-with-body -H "Authorization: Bearer $API_KEY"',
      ...(method === 'GET' ? [] : [`-X ${method}`]),
      ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
      ...(body === undefined ? [] : [`-d ${quoted(JSON.stringify(body))}`]),
      ...(file ? [`-o ${file}`] : []),
      quoted(url),
    ].join(' \\\n  ')
  },
  TypeScript({ method, url, headers, body, file }) {
    const named = Object.entries(headers).map(
      ([name, value]) => `    ${scriptText(name)}: ${scriptText(value)},`,
    )
    return [
      ...(file ? [`import { writeFile } from 'node:fs/promises'`, ''] : []),
      `const response = await fetch(${scriptText(url)}, {`,
      ...(method === 'GET' ? [] : [`  method: '${method}',`]),
      '  headers: {',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a placeholder of the sample
      '    Authorization: `Bearer ${process.env.API_KEY}`,',
      ...named,
      '  },',
      ...(body === undefined ? [] : [`  body: JSON.stringify(${scriptText(body)}),`]),
      '})',
      'if (!response.ok) throw new Error(await response.text())',
      file
        ? `await writeFile('${file}', Buffer.from(await response.arrayBuffer()))`
        : 'console.log(JSON.stringify(await response.json(), null, 2))',
    ].join('\n')
  },
  Python({ method, url, headers, body, file }) {
    const named = Object.entries(headers).map(
      ([name, value]) => `        ${JSON.stringify(name)}: ${JSON.stringify(value)},`,
    )
    return [
      file ? 'import os, urllib.request' : 'import json, os, urllib.request',
      '',
      'request = urllib.request.Request(',
      `    ${JSON.stringify(url)},`,
      ...(method === 'GET' ? [] : [`    method="${method}",`]),
      '    headers={',
      `        "Authorization": "Bearer " + os.environ["API_KEY"],`,
      ...named,
      '    },',
      ...(body === undefined ? [] : [`    data=json.dumps(${pythonText(body)}).encode(),`]),
      ')',
      'with urllib.request.urlopen(request) as response:',
      ...(file
        ? [`    with open("${file}", "wb") as file:`, '        file.write(response.read())']
        : ['    print(json.dumps(json.load(response), indent=2))']),
    ].join('\n')
  },
}

/** Returns a word in single quotes for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** Returns a JSON value as a TypeScript literal. */
function scriptText(value: unknown): string {
  if (typeof value === 'string')
    return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
  if (Array.isArray(value)) return `[${value.map(scriptText).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(([name, member]) => {
    return `${/^[a-z_]\w*$/i.test(name) ? name : scriptText(name)}: ${scriptText(member)}`
  })
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

/** Returns a JSON value as a Python literal. */
function pythonText(value: unknown): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value)) return `[${value.map(pythonText).join(', ')}]`
  if (typeof value !== 'object') return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}: ${pythonText(member)}`,
  )
  return `{${members.join(', ')}}`
}
