import { invalidArguments, notFound } from '../../kernel/errors.ts'
import { nearest } from '../../kernel/nearest.ts'
import { follow, isRecord, parsePointer, pointerOf } from '../configuration/pointers.ts'
import { SECTIONS, type ConfigDocument } from '../configuration/schema/event-config.ts'
import { type ConfigNode, nodeFor, ROOT } from '../configuration/schema/nodes.ts'

/**
 * The parts of a configuration that can be taken one by one: each item of a section that is a list (products/gala), each item of a list
 * in another section (onsite, gates/main), and what else that section says, under the code `settings`. Translations go with what they translate.
 */
export interface Item {
  section: string
  code: string
  /** Of the item; of settings the section. */
  path: string
  node: ConfigNode
  value: unknown
}

const SETTINGS = 'settings'
export const ITEM_SECTIONS = SECTIONS.filter((name) => name !== 'translations')

/** Told by its path: an item of a list may well have the code settings. */
export const isSettings = ({ path }: Pick<Item, 'path'>) => path.lastIndexOf('/') === 0

const isKeyed = (node: ConfigNode | undefined) => node?.kind === 'list' && node.key !== null

export const copyableItems = (document: ConfigDocument): Item[] => ITEM_SECTIONS.flatMap((section) => itemsIn(section, document))

function itemsIn(section: string, document: ConfigDocument): Item[] {
  const node = ROOT.fields.get(section)!
  const value = (document as Record<string, unknown>)[section]
  if (node.kind === 'list') return keyedItems(section, node, value, '', `/${section}`)
  if (node.kind !== 'object' || !isRecord(value)) return []
  const lists = [...node.fields].filter(([, field]) => isKeyed(field))
  const rest = settingsIn(section, value)
  return [
    ...(Object.keys(rest).length > 0 ? [{ section, code: SETTINGS, path: `/${section}`, node, value: rest }] : []),
    ...lists.flatMap(([name, field]) => keyedItems(section, field, value[name], `${name}/`, `/${section}/${name}`)),
  ]
}

function keyedItems(section: string, node: ConfigNode, value: unknown, prefix: string, path: string): Item[] {
  if (node.kind !== 'list' || node.key === null || !Array.isArray(value)) return []
  const { key } = node
  return value.flatMap((item): Item[] => {
    const own = isRecord(item) ? item[key] : undefined
    return typeof own === 'string'
      ? [{ section, code: prefix + own, path: path + pointerOf([own]), node: nodeFor(node.item, item), value: item }]
      : []
  })
}

/** A section without its lists. */
export function settingsIn(section: string, value: Record<string, unknown>): Record<string, unknown> {
  const node = ROOT.fields.get(section)!
  return Object.fromEntries(Object.entries(value).filter(([name]) => node.kind !== 'object' || !isKeyed(node.fields.get(name))))
}

/** The path of the item that a pointer is at or in, whether it exists or not; a translation is in what it translates. Null for none. */
export function itemPathOf(pointer: string): string | null {
  const segments = parsePointer(pointer)
  const [section = '', second, third] = segments
  const node = ROOT.fields.get(section)
  if (section === 'translations') return third === undefined ? null : itemPathOf(third)
  if (!node) return null
  if (node.kind === 'list') return second === undefined ? null : pointerOf([section, second])
  const inList = node.kind === 'object' && second !== undefined && isKeyed(node.fields.get(second))
  if (!inList) return `/${section}`
  return third === undefined ? null : pointerOf([section, second, third])
}

/** The names of an item, by its path. */
export function itemNameOf(path: string): { section: string; code: string } {
  const [section = '', ...rest] = parsePointer(path)
  return { section, code: rest.length === 0 ? SETTINGS : rest.join('/') }
}

/** Refuses a section that is none, with the nearest and all there are. */
export function checkSections(names: readonly string[], argument: string, known: readonly string[] = ITEM_SECTIONS): void {
  const wrong = names.flatMap((name, index) => {
    if (known.includes(name)) return []
    const near = nearest(name, known)
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

/** The items that are named, each once; unknown ones are refused with the nearest. */
export function getItems(
  items: readonly Item[],
  named: readonly { section: string; code: string }[],
  { eventCode, clientCode }: { eventCode: string; clientCode: string },
): Item[] {
  checkSections(
    named.map(({ section }) => section),
    'items',
  )
  return named.map(({ section, code }) => {
    const inSection = items.filter((item) => item.section === section)
    const found = inSection.find((item) => item.code === code)
    if (found) return found
    const near = nearest(
      code,
      inSection.map((item) => item.code),
    )
    throw notFound(`No ${section} ${code} at ${eventCode}${near ? ` — did you mean ${near}?` : ''}`, {
      fix: { tool: 'list_event_config_items', arguments: { eventCode, clientCode, section } },
    })
  })
}

/** What stands at an item's path; undefined for what is not there. */
export function itemAt(document: ConfigDocument, path: string): unknown {
  const { place, left } = follow(document, parsePointer(path))
  if (left.length > 0 || !isRecord(place.value)) return undefined
  const segments = parsePointer(path)
  if (segments.length !== 1) return place.value
  const rest = settingsIn(segments[0]!, place.value)
  return Object.keys(rest).length > 0 ? rest : undefined
}
