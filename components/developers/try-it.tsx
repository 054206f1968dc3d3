'use client'

import { type FormEvent, useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Field } from '#components/ui/field.tsx'
import { Code } from './code.tsx'

/** Call that a reader can try in the browser. */
export type TryCall = {
  method: string
  path: string
  parameters: readonly {
    name: string
    location: 'path' | 'query' | 'header'
    isRequired: boolean
    value: string
  }[]
  /** Example of the body, as JSON. */
  body?: string
}

type Result = { status: string; text: string }

/** Longest answer that is shown, in characters. */
const MAX_ANSWER_LENGTH = 20_000

/** Sends a call with the reader's session, and shows the answer. A change is sent as a dry run only. */
export function TryIt({ call }: { call: TryCall }) {
  const [result, setResult] = useState<Result>()
  const [isPending, setIsPending] = useState(false)
  const isChange = call.method !== 'GET'
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isPending) return
    setIsPending(true)
    setResult(await send(call, new FormData(event.currentTarget)))
    setIsPending(false)
  }
  return (
    <form method="post" onSubmit={submit} className="mt-3 grid gap-3">
      <div className="grid grid-cols-2 gap-3 max-md:grid-cols-1">
        {call.parameters.map(({ name, isRequired, value }) => (
          <Field
            key={name}
            label={name}
            name={name}
            defaultValue={value}
            required={isRequired}
            spellCheck={false}
            autoComplete="off"
          />
        ))}
      </div>
      {call.body === undefined ? null : (
        <label className="grid gap-1.5 text-sm font-medium">
          Body
          <textarea
            name="body"
            defaultValue={call.body}
            rows={call.body.split('\n').length}
            spellCheck={false}
            className="rounded-control border border-line-2 bg-surface px-3 py-2 font-mono text-base font-normal max-md:text-lg"
          />
        </label>
      )}
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" variant="primary" pending={isPending}>
          {isChange ? 'Send as a dry run' : 'Send'}
        </Button>
        <span className="text-sm text-ink-3">
          {isChange
            ? 'Nothing is sent to the vendor, and nothing is stored.'
            : 'With your session and your own data.'}
        </span>
      </div>
      <div aria-live="polite" className="grid min-w-0 gap-2">
        {result ? (
          <>
            <p className="text-sm font-medium">{result.status}</p>
            {result.text ? <Code text={result.text} label="the answer" /> : null}
          </>
        ) : null}
      </div>
    </form>
  )
}

async function send({ method, path, parameters, body }: TryCall, fields: FormData): Promise<Result> {
  const value = (name: string) => String(fields.get(name) ?? '').trim()
  const placed = (location: string) =>
    parameters.flatMap((one) =>
      one.location === location && value(one.name) ? [[one.name, value(one.name)] as const] : [],
    )
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(value(name)))
  const query = new URLSearchParams([
    ...placed('query').map((pair) => [...pair]),
    ...(method === 'GET' ? [] : [['dryRun', 'true']]),
  ])
  const headers = new Headers(placed('header').map((pair) => [...pair] as [string, string]))
  if (body !== undefined) headers.set('Content-Type', 'application/json')
  try {
    const response = await fetch(`${address}${query.size > 0 ? `?${query}` : ''}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: value('body') }),
    })
    return { status: `${response.status} ${response.statusText}`.trim(), text: pretty(await response.text()) }
  } catch {
    return { status: 'No answer. Check your connection, and try again.', text: '' }
  }
}

function pretty(text: string): string {
  const whole = indented(text)
  const rest = whole.length - MAX_ANSWER_LENGTH
  return rest > 0
    ? `${whole.slice(0, MAX_ANSWER_LENGTH)}\n… ${rest.toLocaleString('en')} more characters`
    : whole
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
