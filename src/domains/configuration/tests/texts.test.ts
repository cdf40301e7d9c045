import { describe, expect, it } from 'vitest'
import { type ConfigNode, ROOT } from '../schema/nodes.ts'
import { translatesHtml } from '../texts.ts'

/** Every text of the schema with the pointers it can stand at, an item of a list under the key x. */
function textsIn(node: ConfigNode, pointer = ''): { pointer: string; html: boolean }[] {
  if (node.kind === 'value') return node.word.translatable ? [{ pointer, html: node.word.html ?? false }] : []
  if (node.kind === 'object') return [...node.fields].flatMap(([name, field]) => textsIn(field, `${pointer}/${name}`))
  if (node.kind === 'union') return [...node.options.values()].flatMap((option) => textsIn(option, pointer))
  return node.kind === 'list' ? textsIn(node.item, `${pointer}/x`) : []
}

describe('translatesHtml', () => {
  it('tells for every text of the schema whether it is rich', () => {
    const texts = textsIn(ROOT)
    expect(texts.filter(({ html }) => html).length).toBeGreaterThan(10)
    const told = texts.map(({ pointer }) => ({ pointer, html: translatesHtml(`/translations/de/${pointer.replaceAll('/', '~1')}/text`) }))
    expect(told).toEqual(texts)
  })

  it('is about texts of translations alone, and never fails', () => {
    expect(translatesHtml('/products/x/description')).toBe(false)
    expect(translatesHtml('/translations/de/~1products~1x~1description/state')).toBe(false)
    expect(translatesHtml('/translations/de/~1products~1x~1~02/text')).toBe(false)
    expect(translatesHtml('/translations/de')).toBe(false)
  })
})
