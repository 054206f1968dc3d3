/** Returns the reason why a text can't be stored; undefined where it can. */
export function textError(text: string, longest: number): string | undefined {
  if (text.length > longest) return `has ${text.length} characters, and at most ${longest} are kept`
  if (/\p{Cc}/u.test(text)) return 'has a control character in it'
  return text.isWellFormed() ? undefined : 'has half a character in it'
}

const MAX_TEXT_LENGTH = 300

/** Returns a text on one line, for people and logs, truncated to 300 characters with an ellipsis. */
export function oneLine(text: string): string {
  const line = text.replace(/[\p{C}\s]+/gu, ' ').trim()
  return line.length > MAX_TEXT_LENGTH ? `${line.slice(0, MAX_TEXT_LENGTH - 1).trimEnd()}…` : line
}

/** Returns the codes of a list with blanks or new lines between them. */
export function codesIn(list: string): Set<string> {
  return new Set(list.trim().split(/\s+/))
}
