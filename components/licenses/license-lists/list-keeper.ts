import { forget, keep, kept } from '#components/ui/kept.ts'
import { type LicenseList, type ListRow, openRows, resumable, withRow } from './list.ts'

export type State = {
  /** What was typed or pasted. */
  draft: string
  list: LicenseList | undefined
  running: 'check' | 'send' | undefined
  /** Nothing more is asked; what was, is waited for. */
  stopping: boolean
  /** A list that was found kept, and not gone on with yet. */
  found: boolean
  /** The member was signed out, or lost the role, in the middle. */
  stopped: boolean
  /** False: the browser keeps nothing over a reload. */
  keeps: boolean
}

export type ListKeeper = ReturnType<typeof listKeeper>

export const NOTHING: State = {
  draft: '',
  list: undefined,
  running: undefined,
  stopping: false,
  found: false,
  stopped: false,
  keeps: true,
}

const SLOT = 'bulk:'

/** What is kept, under the names that browsers keep it under already; anybody could have written there. */
type Kept = { draft?: unknown; plan?: unknown }

/**
 * A member's list of totals and what became of it. It lives outside of the screen, so that answers that come after
 * the screen is left are still written down; and in the browser, until each row has its fate.
 */
export function listKeeper(member: string) {
  const name = SLOT + member
  const listeners = new Set<() => void>()
  let stop = new AbortController()
  let state = typeof window === 'undefined' ? NOTHING : load()

  function load(): State {
    // Somebody else's list is none of this member's business.
    forget((other) => other.startsWith(SLOT) && other !== name)
    const value = kept(name) as Kept | null
    const list = resumable(value?.plan, Date.now())
    return {
      ...NOTHING,
      draft: typeof value?.draft === 'string' ? value.draft : '',
      list,
      found: list !== undefined,
    }
  }

  function set(next: Partial<State>): void {
    state = { ...state, ...next, keeps: save({ ...state, ...next }) }
    for (const listener of listeners) listener()
  }

  function save({ draft, list, keeps }: State): boolean {
    // Another tab's list that is being sent is worth more than what is typed here.
    const other = resumable((kept(name) as Kept | null)?.plan, Date.now())
    if (other && other.id !== list?.id && other.id !== state.list?.id) return keeps
    const open = list && openRows(list).length > 0 ? list : undefined
    if (open || (draft.trim() !== '' && !list?.confirmed))
      return keep(name, { draft, plan: open } satisfies Kept)
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
    /** Puts a list in the place of the one that is there; undefined: back to the text. */
    put: (list: LicenseList | undefined) => set({ list, found: false, stopped: false }),
    row(assetId: string, values: Partial<ListRow>) {
      if (state.list) set({ list: withRow(state.list, assetId, values) })
    },
    run,
    stop: (isSignedOut = false) => {
      stop.abort()
      if (state.running) set({ stopping: true, stopped: state.stopped || isSignedOut })
    },
  }
}
