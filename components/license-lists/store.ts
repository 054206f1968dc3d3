import { forget, keep, kept } from '#components/ui/kept.ts'
import { openRows, type Plan, type PlanRow, resumable, withRow } from './plan.ts'

export type State = {
  /** What was typed or pasted. */
  draft: string
  plan: Plan | undefined
  running: 'check' | 'send' | undefined
  /** Nothing more is asked; what was, is waited for. */
  stopping: boolean
  /** A plan that was found kept, and not gone on with yet. */
  found: boolean
  /** The member was signed out, or lost the role, in the middle. */
  stopped: boolean
  /** False: the browser keeps nothing over a reload. */
  keeps: boolean
}

export type Bulk = ReturnType<typeof createBulk>

export const NOTHING: State = {
  ...{
    draft: '',
    plan: undefined,
    running: undefined,
    stopping: false,
    found: false,
    stopped: false,
    keeps: true,
  },
}

const SLOT = 'bulk:'

/**
 * A member's list of totals and what became of it. It lives outside of the screen, so that answers that come after
 * the screen is left are still written down; and in the browser, until each row has its outcome.
 */
export function createBulk(member: string) {
  const name = SLOT + member
  const listeners = new Set<() => void>()
  let stop = new AbortController()
  let state = typeof window === 'undefined' ? NOTHING : load()

  function load(): State {
    // Somebody else's list is none of this member's business.
    forget((other) => other.startsWith(SLOT) && other !== name)
    const value = kept(name) as { draft?: unknown; plan?: unknown } | null
    const plan = resumable(value?.plan, Date.now())
    return {
      ...NOTHING,
      draft: typeof value?.draft === 'string' ? value.draft : '',
      plan,
      found: plan !== undefined,
    }
  }

  function set(next: Partial<State>): void {
    state = { ...state, ...next, keeps: save({ ...state, ...next }) }
    for (const listener of listeners) listener()
  }

  function save({ draft, plan, keeps }: State): boolean {
    // Another tab's list that is being sent is worth more than what is typed here.
    const other = resumable((kept(name) as { plan?: unknown } | null)?.plan, Date.now())
    if (other && other.id !== plan?.id && other.id !== state.plan?.id) return keeps
    const open = plan && openRows(plan).length > 0 ? plan : undefined
    if (open || (draft.trim() !== '' && !plan?.confirmed)) return keep(name, { draft, plan: open })
    forget((own) => own === name)
    return keeps
  }

  /** Does work that `stop` ends; one at a time. */
  async function run(running: 'check' | 'send', work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    if (state.running) return
    stop = new AbortController()
    set({ running, found: false, stopped: false })
    await work(stop.signal).finally(() => set({ running: undefined, stopping: false }))
  }

  return {
    state: () => state,
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    type: (draft: string) => set({ draft }),
    /** Puts a plan in the place of the one that is there; undefined: back to the list. */
    put: (plan: Plan | undefined) => set({ plan, found: false, stopped: false }),
    row(assetId: string, values: Partial<PlanRow>) {
      if (state.plan) set({ plan: withRow(state.plan, assetId, values) })
    },
    run,
    stop: (isSignedOut = false) => {
      stop.abort()
      if (state.running) set({ stopping: true, stopped: state.stopped || isSignedOut })
    },
  }
}
