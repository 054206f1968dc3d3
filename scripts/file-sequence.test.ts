import { expect, test, vi } from 'vitest'
import type { TestSpecification, Vitest } from 'vitest/node'
import { FileSequencer, SLOW_FILES, sequenceOf } from './file-sequence.ts'

const paths = Array.from({ length: 40 }, (_, n) => `lib/${n}.test.ts`)

test('the sequence is random, and its seed repeats it', () => {
  const first = sequenceOf(paths, 7)
  expect(first.toSorted()).toEqual(paths.toSorted())
  expect(sequenceOf(paths.toReversed(), 7)).toEqual(first)
  expect(sequenceOf(paths, 8)).not.toEqual(first)
})

test('a part of the files has the sequence that it has among all', () => {
  const part = paths.filter((_, n) => n % 3 === 0)
  expect(sequenceOf(part, 7)).toEqual(sequenceOf(paths, 7).filter((path) => part.includes(path)))
})

test('the slow files come first, in a random sequence', () => {
  const all = [...paths, ...SLOW_FILES]
  const [first, second] = [7, 8].map((seed) => sequenceOf(all, seed).slice(0, SLOW_FILES.length))
  expect(first?.toSorted()).toEqual(SLOW_FILES.toSorted())
  expect(second?.toSorted()).toEqual(SLOW_FILES.toSorted())
  expect(second).not.toEqual(first)
})

test('the files that need a worker each come before all others, and both are in the sequence of the seed', () => {
  vi.spyOn(console, 'log').mockReturnValue()
  const config = { root: '/project', sequence: { seed: 7 } }
  const all = [...SLOW_FILES, ...paths].map((path, n) => {
    const project = { config: { isolate: n % 4 === 0 } }
    return { moduleId: `/project/${path}`, project } as TestSpecification
  })
  const sorted = new FileSequencer({ config } as Vitest).sort(all)
  const pathsOf = (isolate: boolean) =>
    sorted.flatMap(({ moduleId, project }) => (project.config.isolate === isolate ? [moduleId.slice(9)] : []))
  expect(sorted.map(({ moduleId }) => moduleId.slice(9))).toEqual([...pathsOf(true), ...pathsOf(false)])
  for (const part of [pathsOf(true), pathsOf(false)]) expect(part).toEqual(sequenceOf(part, 7))
  expect(pathsOf(true)).toHaveLength(12)
})
