import { createHash } from 'node:crypto'
import { relative } from 'node:path'
import type { TestSequencer, TestSpecification, Vitest } from 'vitest/node'

/** The slowest test files: they start first, because a run takes until its last file has ended. */
export const SLOW_FILES = [
  'lib/admin/database/dump.deep.test.ts',
  'test/fuzz/fuzz.test.ts',
  'test/fuzz/orders.test.ts',
  'lib/billing/invoices/sums/verify-totals.test.ts',
  'lib/imports/sessions/many-customers.test.ts',
  'lib/licenses/license-changes/vendor-sync/pass.test.ts',
  'lib/platform/api/plans.test.ts',
  'lib/server/limited-callers.test.ts',
]

/**
 * Returns test files in a random sequence, the slow ones before the others. A seed always gives the same sequence, and
 * a part of the files has the sequence that it has among all.
 * @param paths from the project's folder
 */
export function sequenceOf(paths: readonly string[], seed: number): string[] {
  const rank = (path: string) => (SLOW_FILES.includes(path) ? '0' : '1')
  const key = (path: string) => rank(path) + createHash('sha256').update(`${seed} ${path}`).digest('hex')
  const keys = new Map(paths.map((path) => [path, key(path)]))
  return paths.toSorted((one, other) => ((keys.get(one) ?? '') < (keys.get(other) ?? '') ? -1 : 1))
}

/**
 * Vitest's sequence: the files that need a worker each, then the others, by the seed of the run, which it prints. The
 * slow files start first, so they never see state that another file leaves in a shared worker.
 */
export class FileSequencer implements TestSequencer {
  readonly vitest: Vitest
  constructor(vitest: Vitest) {
    this.vitest = vitest
  }

  sort(files: TestSpecification[]): TestSpecification[] {
    const { root, sequence } = this.vitest.config
    console.log(`The sequence of the test files is that of FILE_SEED=${sequence.seed}.`)
    const pathOf = ({ moduleId }: TestSpecification) => relative(root, moduleId)
    const paths = sequenceOf(files.map(pathOf), sequence.seed)
    const positions = new Map(paths.map((path, index) => [path, index]))
    const positionOf = (file: TestSpecification) => positions.get(pathOf(file)) ?? 0
    // A shared worker ends when the next file needs a separate one.
    const shares = ({ project }: TestSpecification) => Number(!project.config.isolate)
    return files.toSorted((one, other) => shares(one) - shares(other) || positionOf(one) - positionOf(other))
  }

  shard(): never {
    throw new Error('A run is not divided over machines.')
  }
}
