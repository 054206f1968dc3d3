import { type Debugger, type Profiler, Session } from 'node:inspector/promises'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PRODUCT = /^(app|lib)\//
/** Code that runs only now and then, such as the next share of a limit, is part of no request's path. */
const REQUESTS = 3

/** A product file with its functions that a request executed. */
type Executed = { file: string; functions: Profiler.FunctionCoverage[] }

/**
 * Returns the product files with a function that each request executes. Modules that are only loaded do not count.
 * @param request sends one request and ends when it is answered
 * @param isSorted whether to return the files in order of first execution, which takes some seconds more
 */
export async function executedFiles(request: () => Promise<unknown>, isSorted = false): Promise<string[]> {
  // One-time work of a process, such as reading the settings, is not part of the path.
  await request()
  const session = new Session()
  session.connect()
  try {
    const executed = await coverage(session, request)
    const files = [...executed.values()].map(({ file }) => file).sort()
    return isSorted ? [...new Set([...(await filesOfStacks(session, executed, request)), ...files])] : files
  } finally {
    session.disconnect()
  }
}

/** Returns the functions that a request executed, by script id. */
async function coverage(session: Session, request: () => Promise<unknown>): Promise<Map<string, Executed>> {
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  let executed: Map<string, Executed> | undefined
  for (let sent = 0; sent < REQUESTS; sent += 1) {
    // takePreciseCoverage resets the counts.
    await session.post('Profiler.takePreciseCoverage')
    await request()
    const { result } = await session.post('Profiler.takePreciseCoverage')
    const executedScripts = new Map(result.map((script) => [script.scriptId, executedOf(script)]))
    const before = executed
    executed = new Map(
      [...executedScripts].filter(([id, { functions }]) => functions.length > 0 && (before?.has(id) ?? true)),
    )
  }
  await session.post('Profiler.stopPreciseCoverage')
  await session.post('Profiler.disable')
  return executed ?? new Map()
}

function executedOf({ url, functions }: Profiler.ScriptCoverage): Executed {
  const file = url.startsWith('file:') ? relative(ROOT, fileURLToPath(url)) : ''
  if (!PRODUCT.test(file)) return { file, functions: [] }
  // The function that begins at the start of the script is the module itself.
  const isCalled = ({ ranges: [range] }: Profiler.FunctionCoverage) =>
    range !== undefined && range.startOffset > 0 && range.count > 0
  return { file, functions: functions.filter(isCalled) }
}

/** Sends one more request, with V8 stopping at the first statement of each of these functions. */
async function filesOfStacks(
  session: Session,
  executed: ReadonlyMap<string, Executed>,
  request: () => Promise<unknown>,
): Promise<Set<string>> {
  const files = new Set<string>()
  session.on('Debugger.paused', ({ params: { callFrames } }) => {
    const script = executed.get(callFrames[0]?.location.scriptId ?? '')
    if (script) files.add(script.file)
  })
  await session.post('Debugger.enable')
  for (const [scriptId, { functions }] of executed) {
    const { scriptSource } = await session.post('Debugger.getScriptSource', { scriptId })
    const first = new Map<string, Debugger.BreakLocation>()
    for (const { ranges } of functions) {
      const [start, end] = [ranges[0]?.startOffset, ranges[0]?.endOffset].map((offset) => {
        const lines = scriptSource.slice(0, offset).split('\n')
        return { scriptId, lineNumber: lines.length - 1, columnNumber: lines.at(-1)?.length ?? 0 }
      })
      if (!start) continue
      const { locations } = await session.post('Debugger.getPossibleBreakpoints', { start, end })
      const [location] = locations
      // A function may begin with the first statement of another one.
      if (location) first.set(`${location.lineNumber}:${location.columnNumber}`, location)
    }
    for (const location of first.values()) await session.post('Debugger.setBreakpoint', { location })
  }
  await request()
  await session.post('Debugger.disable')
  return files
}
