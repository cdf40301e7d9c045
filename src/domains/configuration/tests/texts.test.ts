import { describe, expect, it } from 'vitest'
import { type ConfigNode, ROOT_NODE } from '../schema/nodes.ts'
import { isHtmlTranslation } from '../texts.ts'

/** Lists every text of the schema with its possible pointers, with list items under the key x. */
function textsIn(node: ConfigNode, pointer = ''): { pointer: string; html: boolean }[] {
  if (node.kind === 'value') return node.annotations.translatable ? [{ pointer, html: node.annotations.html ?? false }] : []
  if (node.kind === 'object') return [...node.fields].flatMap(([name, field]) => textsIn(field, `${pointer}/${name}`))
  if (node.kind === 'union') return [...node.options.values()].flatMap((option) => textsIn(option, pointer))
  return node.kind === 'list' ? textsIn(node.item, `${pointer}/x`) : []
}

describe('isHtmlTranslation', () => {
  it('returns true for every rich text in the schema and false for every plain text', () => {
    const texts = textsIn(ROOT_NODE)
    expect(texts.filter(({ html }) => html).length).toBeGreaterThan(10)
    const results = texts.map(({ pointer }) => ({
      pointer,
      html: isHtmlTranslation(`/translations/de/${pointer.replaceAll('/', '~1')}/text`),
    }))
    expect(results).toEqual(texts)
  })

  it('isHtmlTranslation returns false for a pointer that is not a translation, and never throws', () => {
    expect(isHtmlTranslation('/products/x/description')).toBe(false)
    expect(isHtmlTranslation('/translations/de/~1products~1x~1description/state')).toBe(false)
    expect(isHtmlTranslation('/translations/de/~1products~1x~1~02/text')).toBe(false)
    expect(isHtmlTranslation('/translations/de')).toBe(false)
  })
})
