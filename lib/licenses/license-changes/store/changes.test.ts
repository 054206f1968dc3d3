import { expect, test } from 'vitest'
import { newChangeId } from './changes.ts'

test('Ids are UUIDs of version 7, in order of time and unique', () => {
  const ids = [0, 1, 1_795_459_446_835, 2 ** 48 - 1].map((now) => newChangeId(now))
  for (const id of ids) expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  expect(ids.toSorted()).toEqual(ids)
  expect(ids[2]?.replaceAll('-', '').slice(0, 12)).toBe((1_795_459_446_835).toString(16).padStart(12, '0'))
  expect(new Set(Array.from({ length: 1000 }, () => newChangeId(5))).size).toBe(1000)
})
