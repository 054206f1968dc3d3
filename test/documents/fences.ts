import { projectFiles, read } from '../architecture/scan.ts'

/** Fenced block of a document. */
export type Fence = { file: string; line: number; language: string; text: string }

const SHELL = /^(\$ )?([A-Z_]+=\S* )*(npm|npx|curl|cp|export|createuser|docker|env|psql|pg_\w+|cat)\b/

/** Documents whose blocks a reader may run. */
export const DOCUMENTS = projectFiles().filter((file) =>
  /^((README|CONTRIBUTING|SECURITY)\.md|(docs|deploy)\/.*\.md)$/.test(file),
)

/** Returns the fenced blocks of a document, without their indentation. */
export function fencesOf(file: string, text = read(file)): Fence[] {
  return [...text.matchAll(/^( *)```(\w*)\n([\s\S]*?)^ *```$/gm)].map(
    ({ index, 1: indent = '', 2: language = '', 3: body = '' }) => ({
      file,
      line: text.slice(0, index).split('\n').length,
      language,
      text: body
        .split('\n')
        .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line))
        .join('\n')
        .trim(),
    }),
  )
}

/** Returns whether a block consists of commands, maybe with their output. */
export function isShell({ language, text }: Fence): boolean {
  return language === 'sh' || (language === '' && SHELL.test(text))
}

/**
 * Returns the commands of a block, each in one line and without its comment. Of a block with output, these are the lines
 * that begin with `$ `.
 */
export function commandsOf({ text }: Fence): string[] {
  const lines = text.replaceAll(/ *\\\n\s*/g, ' ').split('\n')
  const prompted = lines.filter((line) => line.startsWith('$ ')).map((line) => line.slice(2))
  return (prompted.length > 0 ? prompted : lines)
    .map((line) => line.replace(/(^|\s+)# .*$/, '').trim())
    .filter((line) => line !== '')
}

/** Returns the commands in the first column of a document's tables. */
export function commandsInTables(file: string): string[] {
  return [...read(file).matchAll(/^\| `((?:[A-Z_]+=\S+ )?np[mx] [^`]+)` \|/gm)].map(
    ([, command = '']) => command,
  )
}
