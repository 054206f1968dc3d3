import { parseSync } from 'oxc-parser'
import { expect, test } from 'vitest'
import { type Node, nodesOf, projectFiles, read } from './scan.ts'

// A call with five positional arguments can't be read without the declaration: such a function takes one object.

const MAX_PARAMETERS = 4

/** Returns the lines of all functions, methods and function types with too many parameters, but those of table tests. */
function longParameterLists(file: string, text: string): number[] {
  const lines: number[] = []
  const visit = (node: Node): void => {
    // The parameters of a callback of `test.each([…])(title, callback)` are the columns of its table.
    const isTableTest = node.type === 'CallExpression' && /\.each\b/.test(textOf(node.callee as Node))
    for (const child of Object.values(node).flatMap(nodesOf)) {
      const isColumns = isTableTest && (node.arguments as Node[]).includes(child)
      const { length } = parametersOf(child)
      if (length > MAX_PARAMETERS && !isColumns) lines.push(text.slice(0, child.start).split('\n').length)
      visit(child)
    }
  }
  const textOf = ({ start, end }: Node) => text.slice(start, end as number)
  visit(parseSync(file, text).program as unknown as Node)
  return lines
}

/** Returns the parameters of a function, without `this`, which has no argument. */
function parametersOf({ type, params }: Node): Node[] {
  if (!Array.isArray(params) || type.startsWith('TSTypeParameter')) return []
  return nodesOf(params).filter(({ name }) => name !== 'this')
}

test('no function has more than four positional parameters', () => {
  const files = projectFiles().filter((file) => /\.(tsx?|mjs)$/.test(file))
  const found = files.flatMap((file) => longParameterLists(file, read(file)).map((line) => `${file}:${line}`))
  expect(files.length).toBeGreaterThan(1000)
  expect(found).toEqual([])
})

test.each([
  ['function f(a, b, c, d, e) {}', [1]],
  ['const f = (\n  a, b, c, d,\n  e = 1,\n) => a', [1]],
  ['class A {\n  f(a, b, c, d, ...e) {}\n}', [2]],
  [
    'type F = {\n  f(a: 1, b: 1, c: 1, d: 1, e: 1): void\n  g: (a: 1, b: 1, c: 1, d: 1, e: 1) => void\n}',
    [2, 3],
  ],
  ['test.each([])("x", () => g((a, b, c, d, e) => a))', [1]],
  ['function f(a, b, c, d) {}\nfunction g(this: 1, a, b, c, d) {}', []],
  ['f(1, 2, 3, 4, 5)\ntype G<A, B, C, D, E> = [A, B, C, D, E]', []],
  ['test.each([])("x", (a, b, c, d, e) => a)', []],
])('the parameter lists of %j are over the limit in the lines %j', (text, lines) => {
  expect(longParameterLists('a.ts', text)).toEqual(lines)
})
