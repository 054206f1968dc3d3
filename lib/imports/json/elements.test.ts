import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type JsonElement, jsonElements } from './elements.ts'

async function elementsOf(text: string, size = Math.max(text.length, 1)): Promise<JsonElement[]> {
  const chunks = (async function* () {
    for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size)
  })()
  const elements: JsonElement[] = []
  for await (const element of jsonElements(chunks)) elements.push(element)
  return elements
}

describe('jsonElements', () => {
  const objects = '{"a":"}\\"{["}\n'
  test.each([
    ['an array', `[\n${objects},{"b":[{}]}]\n`, [2, 3]],
    ['an array on one line', '[{"a":1},{"b":2}]', [1, 1]],
    ['NDJSON', `${objects}{"b":2}\r\n\r\n{"c":3}`, [1, 2, 4]],
    ['objects over several lines', '{\n"a":\n1}{"b":\n2}', [1, 3]],
    ['an empty array', ' [ ] ', []],
  ])('splits %s in chunks of any size', async (_what, text, lines) => {
    const whole = await elementsOf(text)
    expect(whole.map(({ line }) => line)).toEqual(lines)
    for (const size of [1, 2, 3, 5]) expect(await elementsOf(text, size)).toEqual(whole)
  })

  test('yields each object unchanged', async () => {
    const object = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ maxDepth: 3 }))
    const size = fc.integer({ min: 1, max: 9 })
    await fc.assert(
      fc.asyncProperty(
        fc.array(object, { minLength: 1 }),
        fc.boolean(),
        size,
        async (values, array, chunk) => {
          const texts = values.map((value) => JSON.stringify(value))
          const text = array ? JSON.stringify(values, null, 1) : texts.join('\n')
          const elements = await elementsOf(text, chunk)
          expect(elements.map((element) => JSON.stringify(JSON.parse(element.text)))).toEqual(texts)
        },
      ),
    )
  })

  test.each([
    ['', 1, 'no object'],
    ['\n \n', 3, 'no object'],
    ['[\n1]', 2, 'an object'],
    ['"text"', 1, 'an object'],
    ['[{} {}]', 1, 'a comma'],
    ['[{},\n]', 2, 'an object'],
    ['[{}\n', 2, 'does not end'],
    ['[{}]\n[', 2, 'nothing'],
    ['{}\n]', 2, 'an object'],
    ['{}\n{"a":', 2, 'does not end'],
    ['{"a":"}', 1, 'does not end'],
    [`{"a":${'['.repeat(5000)}`, 1, 'too deeply'],
    ['\u0000', 1, 'an object'],
  ])('refuses %j, with its line', async (text, line, reason) => {
    await expect(elementsOf(text)).rejects.toMatchObject({
      problems: [{ line, reason: expect.stringContaining(reason) }],
    })
  })

  test('refuses an object that does not end within bounds', async () => {
    const endless = async function* () {
      yield '{"a":"'
      for (;;) yield 'x'.repeat(1024 * 1024)
    }
    const read = async () => {
      for await (const _ of jsonElements(endless()));
    }
    await expect(read()).rejects.toThrow('more than 16777216 characters')
  })
})
