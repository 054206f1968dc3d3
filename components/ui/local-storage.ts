// What screens keep in this browser over a reload. Never anything secret; all of it goes at sign-out.

const PREFIX = 'kept:'

/** Keeps a value that JSON can hold; false where the browser keeps nothing. */
export function setItem(name: string, value: unknown): boolean {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(value))
    return true
  } catch {
    return false
  }
}

/** What was kept under a name: anybody could have changed it there. */
export function getItem(name: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + name) ?? 'null')
  } catch {
    return null
  }
}

/** Forgets what was kept under the names that `isMeant` chooses: all, unless told. */
export function removeItems(isMeant: (name: string) => boolean = () => true): void {
  try {
    const names = Object.keys(localStorage).filter((name) => name.startsWith(PREFIX))
    for (const name of names) if (isMeant(name.slice(PREFIX.length))) localStorage.removeItem(name)
  } catch {
    // It keeps nothing.
  }
}
