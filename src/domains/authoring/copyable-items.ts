import { invalidArguments, notFound } from '../../kernel/errors.ts'
import { findMostSimilarName } from '../../kernel/nearest.ts'
import { followPointer, isJsonObject, parsePointer, toPointer } from '../configuration/pointers.ts'
import { CONFIG_SECTIONS, type ConfigDocument } from '../configuration/schema/event-config.ts'
import { type ConfigNode, resolveUnionNode, ROOT_NODE } from '../configuration/schema/nodes.ts'

/**
 * A part of a configuration that can be copied separately: an item of a section that is a list (products/gala), an item of a list in
 * another section (onsite, gates/main), and the remaining settings of that section under the code `settings`. Translations belong to the
 * item they translate.
 */
export interface ConfigItem {
  section: string
  code: string
  /** The path of the copied item; for the settings of a section, the path of the section. */
  path: string
  node: ConfigNode
  value: unknown
}

const SETTINGS = 'settings'
export const COPYABLE_CONFIG_SECTIONS = CONFIG_SECTIONS.filter((name) => name !== 'translations')

/** Whether the item contains the settings of a section. Decided by the path, because an item of a list may have the code `settings`. */
export const isSectionSettings = ({ path }: Pick<ConfigItem, 'path'>) => path.lastIndexOf('/') === 0

const isKeyed = (node: ConfigNode | undefined) => node?.kind === 'list' && node.key !== null

export const listCopyableItems = (document: ConfigDocument): ConfigItem[] =>
  COPYABLE_CONFIG_SECTIONS.flatMap((section) => listSectionItems(section, document))

function listSectionItems(section: string, document: ConfigDocument): ConfigItem[] {
  const node = ROOT_NODE.fields.get(section)!
  const value = (document as Record<string, unknown>)[section]
  if (node.kind === 'list') return keyedItems(section, node, value, '', `/${section}`)
  if (node.kind !== 'object' || !isJsonObject(value)) return []
  const lists = [...node.fields].filter(([, field]) => isKeyed(field))
  const rest = pickSectionSettings(section, value)
  return [
    ...(Object.keys(rest).length > 0 ? [{ section, code: SETTINGS, path: `/${section}`, node, value: rest }] : []),
    ...lists.flatMap(([name, field]) => keyedItems(section, field, value[name], `${name}/`, `/${section}/${name}`)),
  ]
}

function keyedItems(section: string, node: ConfigNode, value: unknown, prefix: string, path: string): ConfigItem[] {
  if (node.kind !== 'list' || node.key === null || !Array.isArray(value)) return []
  const { key } = node
  return value.flatMap((item): ConfigItem[] => {
    const own = isJsonObject(item) ? item[key] : undefined
    return typeof own === 'string'
      ? [{ section, code: prefix + own, path: path + toPointer([own]), node: resolveUnionNode(node.item, item), value: item }]
      : []
  })
}

/** Returns the settings of a section without its keyed lists, whose items are copied separately. */
export function pickSectionSettings(section: string, value: Record<string, unknown>): Record<string, unknown> {
  const node = ROOT_NODE.fields.get(section)!
  return Object.fromEntries(Object.entries(value).filter(([name]) => node.kind !== 'object' || !isKeyed(node.fields.get(name))))
}

/**
 * Returns the path of the item that contains a pointer, whether or not the item exists. A translation belongs to the item it translates.
 * Null if no item contains the pointer.
 */
export function getEnclosingItemPath(pointer: string): string | null {
  const segments = parsePointer(pointer)
  const [section = '', second, third] = segments
  const node = ROOT_NODE.fields.get(section)
  if (section === 'translations') return third === undefined ? null : getEnclosingItemPath(third)
  if (!node) return null
  if (node.kind === 'list') return second === undefined ? null : toPointer([section, second])
  const inList = node.kind === 'object' && second !== undefined && isKeyed(node.fields.get(second))
  if (!inList) return `/${section}`
  return third === undefined ? null : toPointer([section, second, third])
}

/** Returns the section and the code of a configuration item, from its path. */
export function parseItemNameFromPath(path: string): { section: string; code: string } {
  const [section = '', ...rest] = parsePointer(path)
  return { section, code: rest.length === 0 ? SETTINGS : rest.join('/') }
}

/** If a configuration section is unknown, throws an error that suggests the closest match and lists all sections. */
export function requireKnownSections(
  names: readonly string[],
  argument: string,
  known: readonly string[] = COPYABLE_CONFIG_SECTIONS,
): void {
  const wrong = names.flatMap((name, index) => {
    if (known.includes(name)) return []
    const near = findMostSimilarName(name, known)
    const path = names.length === 1 && argument === 'section' ? argument : `${argument}/${index}`
    return [
      {
        path,
        message: `no section ${JSON.stringify(name.slice(0, 60))}${near ? ` — did you mean ${near}?` : ''}; there are ${known.join(', ')}`,
        allowed: known,
      },
    ]
  })
  if (wrong.length > 0) throw invalidArguments(wrong)
}

/** Returns the configuration items with these sections and codes. For an unknown one, throws an error that suggests the closest match. */
export function getCopyableItems(
  items: readonly ConfigItem[],
  named: readonly { section: string; code: string }[],
  { eventCode, clientCode }: { eventCode: string; clientCode: string },
): ConfigItem[] {
  requireKnownSections(
    named.map(({ section }) => section),
    'items',
  )
  return named.map(({ section, code }) => {
    const inSection = items.filter((item) => item.section === section)
    const found = inSection.find((item) => item.code === code)
    if (found) return found
    const near = findMostSimilarName(
      code,
      inSection.map((item) => item.code),
    )
    throw notFound(`No ${section} ${code} at ${eventCode}${near ? ` — did you mean ${near}?` : ''}`, {
      fix: { tool: 'list_event_config_items', arguments: { eventCode, clientCode, section } },
    })
  })
}

/** Returns the value of a configuration item; undefined if the item is missing. */
export function findItemValue(document: ConfigDocument, path: string): unknown {
  const { location, left } = followPointer(document, parsePointer(path))
  if (left.length > 0 || !isJsonObject(location.value)) return undefined
  const segments = parsePointer(path)
  if (segments.length !== 1) return location.value
  const rest = pickSectionSettings(segments[0]!, location.value)
  return Object.keys(rest).length > 0 ? rest : undefined
}
