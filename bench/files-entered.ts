import { Session } from 'node:inspector/promises'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Runs `work` with V8 stopping at each statement of the project's files.
 * @param wanted a pattern of the paths, from the project's root, that count
 * @returns the paths of the files in which a statement ran, in the order of the first one
 */
export async function filesEntered(wanted: RegExp, work: () => Promise<unknown>): Promise<string[]> {
  const files = new Map<string, string>()
  const entered = new Set<string>()
  const session = new Session()
  session.connect()
  session.on('Debugger.scriptParsed', ({ params: { scriptId, url } }) => {
    const path = url.startsWith('file:') ? relative(root, fileURLToPath(url)) : ''
    if (wanted.test(path)) files.set(scriptId, path)
  })
  session.on('Debugger.paused', ({ params }) => {
    const file = files.get(params.callFrames[0]?.location.scriptId ?? '')
    if (file) entered.add(file)
  })
  await session.post('Debugger.enable')
  for (const scriptId of files.keys()) await breakEverywhere(session, scriptId)
  await work()
  session.disconnect()
  return [...entered]
}

async function breakEverywhere(session: Session, scriptId: string): Promise<void> {
  const { locations } = await session.post('Debugger.getPossibleBreakpoints', {
    start: { scriptId, lineNumber: 0 },
  })
  for (const location of locations) await session.post('Debugger.setBreakpoint', { location })
}
