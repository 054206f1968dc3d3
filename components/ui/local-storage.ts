// Values that screens keep in this browser over a reload. Never secrets; all of them are removed at sign-out.

const PREFIX = 'kept:'

/** Stores a JSON value; returns false where the browser stores nothing. */
export function setItem(name: string, value: unknown): boolean {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(value))
    return true
  } catch {
    return false
  }
}

/** Returns a stored value; untrusted, because any script or user could have changed it. */
export function getItem(name: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + name) ?? 'null')
  } catch {
    return null
  }
}

/** Removes the values whose names `isMeant` selects; all by default. */
export function removeItems(isMeant: (name: string) => boolean = () => true): void {
  try {
    const names = Object.keys(localStorage).filter((name) => name.startsWith(PREFIX))
    for (const name of names) if (isMeant(name.slice(PREFIX.length))) localStorage.removeItem(name)
  } catch {
    // Storage is not available.
  }
}
