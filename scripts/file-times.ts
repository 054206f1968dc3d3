import { writeFileSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'

/**
 * A Vitest reporter that writes the duration of each file, in milliseconds by its path, to the file that FILE_TIMES
 * names. Vitest's JSON report has only the time between the first and the last test, without imports and `beforeAll`.
 */
// biome-ignore lint/style/noDefaultExport: Vitest finds a reporter by its default export
export default class FileTimes implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (!process.env.FILE_TIMES) throw new Error('FILE_TIMES names no file.')
    const times = modules.map((module) => [module.moduleId, durationOf(module)])
    writeFileSync(process.env.FILE_TIMES, JSON.stringify(Object.fromEntries(times)))
  }
}

function durationOf(module: TestModule): number {
  const { environmentSetupDuration, prepareDuration, setupDuration, collectDuration, duration } =
    module.diagnostic()
  return environmentSetupDuration + prepareDuration + setupDuration + collectDuration + duration
}
