import { parsePointer, toPointer } from '../pointers.ts'
import { ROOT_NODE } from '../schema/nodes.ts'
import { type DiffLocation, createFieldDiffLocation, describeDiffLocation } from './locations.ts'
import { findField } from './describe-values.ts'

/**
 * Describes the pointer of a configuration path in words, using the names of the items on the path. Returns null if the schema has no such
 * path.
 */
export function describePath(path: string, called: (pointer: string) => string | null): string | null {
  let at: DiffLocation = { parent: null, segment: '', node: ROOT_NODE, value: undefined, item: null }
  const passed: string[] = []
  for (const segment of parsePointer(path)) {
    passed.push(segment)
    const { node } = at
    if (node.kind === 'list') {
      const name = node.key === null ? null : called(toPointer(passed))
      at = {
        parent: at,
        segment,
        node: node.item,
        value: name === null ? undefined : { name },
        item: node.key === null ? 'plain' : 'keyed',
      }
    } else {
      const field = node.kind === 'record' ? node.value : findField(node, segment)
      if (field === null) return null
      at = createFieldDiffLocation(at, segment, field, undefined)
    }
  }
  const { title } = describeDiffLocation(at)
  return title.charAt(0).toUpperCase() + title.slice(1)
}

/** Reads section, item key and, within flows, page from a pointer into the configuration. Null if it leads to no item with a key. */
export function parseItemPath(path: string): { pointer: string; section: string; key: string; page: string | null } | null {
  if (!path.startsWith('/') || /~(?![01])/.test(path)) return null
  const [section = '', key, inner, page] = parsePointer(path)
  const node = ROOT_NODE.fields.get(section)
  if (key === undefined || node?.kind !== 'list' || node.key === null) return null
  return { pointer: toPointer([section, key]), section, key, page: inner === 'pages' && page !== undefined ? page : null }
}

/** Returns the property that identifies the items of a configuration section, such as `code` for products. */
export const findItemKeyProperty = (section: string): string | null => {
  const node = ROOT_NODE.fields.get(section)
  return node?.kind === 'list' ? node.key : null
}
