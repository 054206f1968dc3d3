/**
 * Moves the focus to the first link of the next row of the page's lists, or of the one before; Enter then opens it.
 * @param by 1: the next, -1: the one before
 */
export function walkRows(by: 1 | -1): void {
  const links = [...document.querySelectorAll('main tbody tr')].flatMap(
    (row) => row.querySelector<HTMLAnchorElement>('a[href]') ?? [],
  )
  const row = document.activeElement?.closest('tr')
  const at = row ? links.findIndex((link) => row.contains(link)) : -1
  const next = at < 0 ? links.at(by > 0 ? 0 : -1) : links[at + by]
  next?.focus()
}
