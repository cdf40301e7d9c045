import { preconditionFailed } from '../../kernel/errors.ts'
import { isSame } from '../configuration/diff/diff.ts'
import { parsePointer, pointerOf } from '../configuration/pointers.ts'
import type { ConfigDocument } from '../configuration/schema/event-config.ts'
import { usesIn } from './config-items.ts'
import { type Item, isSettings, itemAt, copyableItems } from './item-places.ts'

export const ON_CONFLICT = ['replace', 'skip', 'rename'] as const
export type OnConflict = (typeof ON_CONFLICT)[number]

/** What is done with one item of the source. */
export interface Step {
  item: Item
  act: 'add' | 'replace' | 'skip' | 'rename'
  /** Where it stands in the target. */
  to: string
  isDependency: boolean
}

interface Choice {
  source: ConfigDocument
  target: ConfigDocument
  chosen: readonly Item[]
  onConflict: OnConflict
  withDependencies: boolean
}

/** What to do with the chosen items, and with whatever they need and the target does not have. In the order of the source. */
export function planCopy({ source, target, chosen, onConflict, withDependencies }: Choice): Step[] {
  const steps = new Map<string, Step>()
  const keys = new Set(copyableItems(target).map(({ path }) => path))
  for (const item of chosen) steps.set(item.path, stepFor(item, target, { onConflict, keys }))
  const needed = dependenciesOf(
    source,
    target,
    [...steps.values()].filter(({ act }) => act !== 'skip').map(({ item }) => item.path),
  )
  const missing = needed.filter((path) => !steps.has(path))
  if (missing.length > 0 && !withDependencies) {
    throw preconditionFailed(
      `${missing.length} items that these need are not at this event: ${missing.slice(0, 10).join(', ')}. Pass withDependencies: true to copy them too`,
      {
        fields: missing.slice(0, 50).map((path) => ({ path, message: 'is needed and not there' })),
      },
    )
  }
  const items = copyableItems(source)
  for (const item of items) {
    if (missing.includes(item.path)) steps.set(item.path, { item, act: 'add', to: item.path, isDependency: true })
  }
  return items.flatMap(({ path }) => steps.get(path) ?? [])
}

function stepFor(item: Item, target: ConfigDocument, { onConflict, keys }: { onConflict: OnConflict; keys: Set<string> }): Step {
  const there = itemAt(target, item.path)
  const step = { item, to: item.path, isDependency: false }
  if (there === undefined) return { ...step, act: 'add' }
  // The settings of a section have no other name to go by.
  if (onConflict === 'skip' || isSame(there, item.value) || (onConflict === 'rename' && isSettings(item))) return { ...step, act: 'skip' }
  return onConflict === 'replace' ? { ...step, act: 'replace' } : { ...step, act: 'rename', to: freePath(item.path, keys) }
}

const MAX_KEY = 63

/** gala-2, gala-3, and so on. */
function freePath(path: string, keys: Set<string>): string {
  const segments = parsePointer(path)
  const key = segments.at(-1)!
  for (let number = 2; ; number++) {
    const ending = `-${number}`
    const free = pointerOf([...segments.slice(0, -1), key.slice(0, MAX_KEY - ending.length) + ending])
    if (keys.has(free)) continue
    keys.add(free)
    return free
  }
}

/** Paths of all that these items need, and what that needs, as far as the source has it and the target does not. */
function dependenciesOf(source: ConfigDocument, target: ConfigDocument, paths: readonly string[]): string[] {
  const { needs } = usesIn(source)
  const found = new Set<string>()
  const open = [...paths]
  while (open.length > 0) {
    for (const path of needs.get(open.pop()!) ?? []) {
      if (found.has(path) || itemAt(source, path) === undefined || itemAt(target, path) !== undefined) continue
      found.add(path)
      open.push(path)
    }
  }
  return [...found]
}
