import { expect } from 'vitest'
import type { Example } from './openapi/example.ts'

// Compares an answer with its example after replacing values that change from run to run.

const DAY = 86_400_000
/** Age in days of overdue dates in examples. */
const AGE = 388

/** Returns the example's body with today's value where a value changes from day to day. */
export function withStableValues({ answer: { body } }: Example, answered: unknown): unknown {
  const { today, knownBy, sessions, needs, pastDue, months } = Object(answered)
  if (JSON.stringify(body ?? null).includes('"isUnused":')) return withMoved(body, answered)
  // Commitments come closer and overdue dates grow older day by day.
  if (needs) return withDays({ ...withNeeds(body, needs) }, needs[0]?.pastDue?.days)
  if (months && typeof today === 'number') return withMonths(body as Months, { today, months })
  if (pastDue) return withDays(body, pastDue.days)
  // Created values are new in each run.
  if (
    Object(answered).expireTime ||
    Object(answered).link ||
    Object(answered).order ||
    Object(answered).lastOrder ||
    Object(answered).record ||
    Object(answered).secret ||
    Object(answered).feed ||
    Object(answered).nextAttemptTime ||
    Object(answered).isShared
  )
    return withNew(body, answered)
  // The signed-in member's time is now.
  if (sessions) return withTimes(body, sessions)
  // Times of a change that was sent when the examples were set up.
  if (typeof knownBy === 'number') return { ...(body as object), knownBy }
  if (typeof today !== 'number') return body
  expect(today % DAY).toBe(0)
  const text = JSON.stringify({ ...(body as object), today })
  return JSON.parse(text, (_, value) =>
    value?.daysPastDue > 0 ? { ...value, daysPastDue: (today - value.dueDate) / DAY } : value,
  )
}

/** Returns the example with the commitments that end soon by today's calendar, which are last. */
function withNeeds(body: unknown, answered: { kind: string }[]): object {
  const { needs, ...rest } = body as { needs: object[] }
  const all = [...needs, ...answered.filter(({ kind }) => kind === 'renewal')]
  return { ...rest, count: all.length, needs: all }
}

type Months = { months: { month: string }[]; renewals: { time: number }[] }

/** Returns the months from the current one on; renewals of the past are in none of them. */
function withMonths(body: Months, { today, months }: { today: number; months: { month: string }[] }): object {
  expect(today % DAY).toBe(0)
  expect(months[0]?.month).toBe(new Date(today).toISOString().slice(0, 7))
  const none = { count: 0, licenses: 0, idle: 0 }
  const isUpcoming = body.renewals.every(({ time }) => time >= today)
  const strip = months.map(({ month }) => {
    const exampleMonth = isUpcoming ? body.months.find((one) => one.month === month) : undefined
    return exampleMonth ?? { month, ...none }
  })
  const rest = isUpcoming ? {} : { types: [], sums: [], unpriced: 0, renewals: [] }
  return { ...body, ...rest, today, months: strip }
}

function withDays(body: unknown, days: unknown): unknown {
  return JSON.parse(JSON.stringify(body), (name, value) => (name === 'days' && value === AGE ? days : value))
}

/** Members with a new value in each answer: ids, times, secrets. */
const NEW = [
  'id',
  'url',
  'text',
  'secret',
  'hint',
  'createTime',
  'settleTime',
  'expireTime',
  'inviteExpireTime',
  'nextAttemptTime',
  'formerSecretUntil',
  'event',
]

function withNew(exampleValue: unknown, made: unknown): unknown {
  if (typeof exampleValue !== 'object' || exampleValue === null || Array.isArray(exampleValue))
    return exampleValue
  const parts = Object.entries(exampleValue).map(([name, value]) => {
    const its = Object(made)[name]
    return [name, NEW.includes(name) && typeof its === typeof value ? its : withNew(value, its)]
  })
  return Object.fromEntries(parts)
}

/** Members of a key that change from run to run: id, hint, secret and times. */
const MOVED = /^(id|hint|secret|replacedBy|\w+Time)$/

function withMoved(body: unknown, answered: unknown, name = ''): unknown {
  if (MOVED.test(name) && typeof body === typeof answered) {
    const isNamed = name === 'id' && String(body).startsWith('m-')
    return isNamed || /^k-(erp|nightly)$/.test(String(answered)) ? body : answered
  }
  if (typeof body !== 'object' || body === null) return body
  if (Array.isArray(body)) return body.map((part, at) => withMoved(part, Object(answered)[at]))
  return Object.fromEntries(
    Object.entries(body).map(([key, part]) => [key, withMoved(part, Object(answered)[key], key)]),
  )
}

function withTimes(body: unknown, answered: { createTime: number; lastSeenTime: number }[]): unknown {
  const { sessions, ...rest } = body as { sessions: object[] }
  const times = answered.map(({ createTime, lastSeenTime }) => ({ createTime, lastSeenTime }))
  return { ...rest, sessions: sessions.map((session, at) => ({ ...session, ...times[at] })) }
}
