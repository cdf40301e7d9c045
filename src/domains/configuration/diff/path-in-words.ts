import { parsePointer, pointerOf } from '../pointers.ts'
import { ROOT } from '../schema/nodes.ts'
import { type At, fieldAt, inWords } from './places.ts'
import { fieldOf } from './values-in-words.ts'

/** What a place is called, by its pointer and the names that its items are known by; null for a place that the schema has not. */
export function titleAt(path: string, called: (pointer: string) => string | null): string | null {
  let at: At = { parent: null, segment: '', node: ROOT, value: undefined, item: null }
  const passed: string[] = []
  for (const segment of parsePointer(path)) {
    passed.push(segment)
    const { node } = at
    if (node.kind === 'list') {
      const name = node.key === null ? null : called(pointerOf(passed))
      at = {
        parent: at,
        segment,
        node: node.item,
        value: name === null ? undefined : { name },
        item: node.key === null ? 'plain' : 'keyed',
      }
    } else {
      const field = node.kind === 'record' ? node.value : fieldOf(node, segment)
      if (field === null) return null
      at = fieldAt(at, segment, field, undefined)
    }
  }
  const { title } = inWords(at)
  return title.charAt(0).toUpperCase() + title.slice(1)
}

/** Of a pointer, the parts that name items by their keys: the section, the item's key, and of flows the page. */
export function itemsOn(path: string): { pointer: string; section: string; key: string; page: string | null } | null {
  if (!path.startsWith('/') || /~(?![01])/.test(path)) return null
  const [section = '', key, inner, page] = parsePointer(path)
  const node = ROOT.fields.get(section)
  if (key === undefined || node?.kind !== 'list' || node.key === null) return null
  return { pointer: pointerOf([section, key]), section, key, page: inner === 'pages' && page !== undefined ? page : null }
}

/** By which of its keys an item of a section is found. */
export const keyOfSection = (section: string): string | null => {
  const node = ROOT.fields.get(section)
  return node?.kind === 'list' ? node.key : null
}
