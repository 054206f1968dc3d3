import { getItem, removeItems, setItem } from '#components/ui/local-storage.ts'
import { type LicenseList, type ListRow, openRows, resumable, withRow } from './list.ts'

export type ListState = {
  /** What was typed or pasted. */
  draft: string
  list: LicenseList | undefined
  running: 'check' | 'send' | undefined
  /** Nothing more is asked; what was, is waited for. */
  stopping: boolean
  /** A list that was found kept, and not gone on with yet. */
  isResumable: boolean
  /** The member was signed out, or lost the role, in the middle. */
  stopped: boolean
  /** False: the browser keeps nothing over a reload. */
  isStorable: boolean
}

export type ListKeeper = ReturnType<typeof listKeeper>

export const NOTHING: ListState = {
  draft: '',
  list: undefined,
  running: undefined,
  stopping: false,
  isResumable: false,
  stopped: false,
  isStorable: true,
}

const SLOT = 'bulk:'

/** What is kept, under the names that browsers keep it under already; anybody could have written there. */
type StoredList = { draft?: unknown; plan?: unknown }

/**
 * A member's list of totals and what became of it. It lives outside of the screen, so that answers that come after
 * the screen is left are still written down; and in the browser, until each row has its fate.
 */
export function listKeeper(member: string) {
  const name = SLOT + member
  const listeners = new Set<() => void>()
  let stop = new AbortController()
  let state = typeof window === 'undefined' ? NOTHING : load()

  function load(): ListState {
    // Somebody else's list is none of this member's business.
    removeItems((other) => other.startsWith(SLOT) && other !== name)
    const value = getItem(name) as StoredList | null
    const list = resumable(value?.plan, Date.now())
    return {
      ...NOTHING,
      draft: typeof value?.draft === 'string' ? value.draft : '',
      list,
      isResumable: list !== undefined,
    }
  }

  function set(next: Partial<ListState>): void {
    state = { ...state, ...next, isStorable: save({ ...state, ...next }) }
    for (const listener of listeners) listener()
  }

  function save({ draft, list, isStorable }: ListState): boolean {
    // Another tab's list that is being sent is worth more than what is typed here.
    const other = resumable((getItem(name) as StoredList | null)?.plan, Date.now())
    if (other && other.id !== list?.id && other.id !== state.list?.id) return isStorable
    const open = list && openRows(list).length > 0 ? list : undefined
    if (open || (draft.trim() !== '' && !list?.confirmed))
      return setItem(name, { draft, plan: open } satisfies StoredList)
    removeItems((key) => key === name)
    return isStorable
  }

  /** Does work that `stop` ends; one at a time. */
  async function run(running: 'check' | 'send', work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    if (state.running) return
    stop = new AbortController()
    set({ running, isResumable: false, stopped: false })
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
    put: (list: LicenseList | undefined) => set({ list, isResumable: false, stopped: false }),
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
