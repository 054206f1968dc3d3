/** Returns whether the changelog still calls a version unreleased. */
export function isUnreleased(version: string, changelog: string): boolean {
  return new RegExp(`^## \\[?${RegExp.escape(version)}\\]? .*unreleased`, 'im').test(changelog)
}

/**
 * Returns the section of a version in the changelog, without its heading.
 * @throws Error if there is no such section, or it is empty
 */
export function notesOf(version: string, changelog: string): string {
  const [, ...sections] = changelog.split(/^## /m)
  const section = sections.find((text) => new RegExp(`^\\[?${RegExp.escape(version)}\\]?(\\s|$)`).test(text))
  const notes = section?.slice(section.indexOf('\n')).trim()
  if (!notes) throw new Error(`CHANGELOG.md has no section "## ${version}" with text.`)
  return `${notes}\n`
}
