import { log, reasonOf } from '#lib/platform/runtime/log.ts'
import type { Farewell } from '../application.ts'
import { type Answering, type Member, startMember } from './member.ts'

/** Between tries to replace a worker, in milliseconds: twice as long after each that failed. */
const PAUSE = { first: 1000, longest: 30_000 }

/** The workers of one primary. */
export type Crew = Answering & {
  /** Puts new workers in the place of those that run, one after the other; resolves when that is done. */
  restart(): Promise<void>
  /** Rejects, saying which, where a worker ended badly. All have ended then. */
  stop(farewell: Farewell): Promise<void>
}

/**
 * Starts workers and keeps their number: one that dies is replaced.
 * @param giveUp is called when none runs any more and a new one doesn't start either
 * @param start starts one worker
 * @throws Error with the reason of the first one that doesn't start; none is left running then
 */
export async function startCrew(
  count: number,
  giveUp: (error: unknown) => void,
  start: () => Member = startMember,
): Promise<Crew> {
  const crew = new Set<Member>()
  let isStopping = false
  let isRestarting = false
  let failures = 0

  const add = async (): Promise<Answering> => {
    const member = start()
    crew.add(member)
    member.ended.then((end) => {
      crew.delete(member)
      // One that was never ready is the matter of who started it.
      if (isStopping || !member.isReady || (member.isLeaving && end.code === 0)) return
      log().error({ worker: member.id, ...end }, 'worker died')
      fill()
    })
    const answering = await member.ready.finally(() => member.isReady || crew.delete(member))
    log().info({ worker: member.id, pid: member.pid }, 'worker ready')
    return answering
  }
  const fill = () => {
    const staying = [...crew].filter((member) => !member.isLeaving).length
    for (let have = staying; have < count && !isStopping; have++)
      add().then(() => {
        failures = 0
      }, tryAgain)
  }
  const tryAgain = (error: unknown) => {
    if (isStopping) return
    log().error({ reason: reasonOf(error) }, 'worker does not start')
    if (crew.size === 0) return giveUp(error)
    setTimeout(fill, Math.min(PAUSE.longest, PAUSE.first * 2 ** failures++)).unref()
  }
  const restart = async () => {
    if (isRestarting) return
    isRestarting = true
    try {
      for (const member of [...crew]) {
        if (isStopping) return
        if (!crew.has(member)) continue
        await add()
        await member.leave('handed over')
      }
      log().info('workers restarted')
    } catch (error) {
      log().error({ reason: reasonOf(error) }, 'restart broken off: the other workers stay')
    } finally {
      isRestarting = false
      // A worker that died meanwhile was not replaced: the new one counted in its place.
      fill()
    }
  }
  const stop = async (farewell: Farewell) => {
    isStopping = true
    const ends = await Promise.all(
      [...crew].map(async (member) => ({ id: member.id, ...(await member.leave(farewell)) })),
    )
    const bad = ends.filter(({ code }) => code !== 0)
    if (bad.length > 0) throw new Error(bad.map(({ id, code, reason }) => told(id, code, reason)).join('; '))
  }

  // However this process ends, no worker stays.
  process.on('exit', () => {
    for (const member of crew) member.kill()
  })
  try {
    // One alone at first: what stands in the way is found, and told, once.
    const answering = await add()
    await Promise.all(Array.from({ length: count - 1 }, add))
    return { ...answering, restart, stop }
  } catch (error) {
    await stop('at once').catch(() => {})
    throw error
  }
}

function told(id: number, code: number | string, reason: string | undefined): string {
  return `worker ${id} ended with ${code}${reason === undefined ? '' : ` (${reason})`}`
}
