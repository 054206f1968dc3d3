/** Whether the name of a company has the search in it, whatever the case of letters. */
export function hasName(name: string, search: string): boolean {
  return folded(name).includes(folded(search))
}

function folded(text: string): string {
  return text.normalize().toLocaleLowerCase('en')
}
