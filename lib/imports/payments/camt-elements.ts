/** Element of a camt document, without its namespace. */
export type Element = { name: string; text: string; currency?: string | undefined; children: Element[] }

export function childrenAt({ children }: Element, name: string): Element[] {
  return children.filter((child) => child.name === name)
}

export function childAt(element: Element, ...names: string[]): Element | undefined {
  return names.reduce<Element | undefined>(
    (at, name) => at?.children.find((child) => child.name === name),
    element,
  )
}

export function textAt(element: Element, ...names: string[]): string | undefined {
  return childAt(element, ...names)?.text.trim() || undefined
}
