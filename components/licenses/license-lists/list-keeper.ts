import { getItem, removeItems, setItem } from '#components/ui/local-storage.ts'
import { type LicenseList, type ListRow, openRows, resumable, withRow } from './list.ts'

export type ListState = {
  /** Typed or pasted text. */
  draft: string
  list: LicenseList | undefined
  running: 'check' | 'send' | undefined
  /** No further requests are sent; pending ones are awaited. */
  stopping: boolean
  /** A stored list was found and not resumed yet. */
  isResumable: boolean
  /** The member was signed out, or lost the role, during the run. */
  stopped: boolean
  /** False: the browser stores nothing over a reload. */
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

/**
 * Stored list, with the names that browsers store already; untrusted, because any script or user could have written it.
 */
type StoredList = { draft?: unknown; plan?: unknown }

/**
 * Keeps a member's list of totals and its results. Lives outside of React, so that answers that arrive after the screen
 * is left are still recorded; and in the browser's storage, until each row is settled.
 */
export function listKeeper(member: string) {
  const name = SLOT + member
  const listeners = new Set<() => void>()
  let stop = new AbortController()
  let state = typeof window === 'undefined' ? NOTHING : load()

  function load(): ListState {
    // Remove the lists of other members.
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
    // A list that another tab is sending takes precedence over text typed here.
    const other = resumable((getItem(name) as StoredList | null)?.plan, Date.now())
    if (other && other.id !== list?.id && other.id !== state.list?.id) return isStorable
    const open = list && openRows(list).length > 0 ? list : undefined
    if (open || (draft.trim() !== '' && !list?.confirmed))
      return setItem(name, { draft, plan: open } satisfies StoredList)
    removeItems((key) => key === name)
    return isStorable
  }

  /** Runs work that `stop` aborts; one at a time. */
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
    /** Replaces the list; undefined returns to the text. */
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
