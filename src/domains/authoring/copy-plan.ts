import { preconditionFailed } from '../../kernel/errors.ts'
import { isDeepEqual } from '../configuration/diff/diff.ts'
import { parsePointer, toPointer } from '../configuration/pointers.ts'
import type { ConfigDocument } from '../configuration/schema/event-config.ts'
import { findItemReferences } from './config-items.ts'
import { type ConfigItem, isSectionSettings, findItemValue, listCopyableItems } from './copyable-items.ts'

export const CONFLICT_POLICIES = ['replace', 'skip', 'rename'] as const
export type ConflictPolicy = (typeof CONFLICT_POLICIES)[number]

/** The planned action for one item of the source configuration. */
export interface CopyStep {
  item: ConfigItem
  act: 'add' | 'replace' | 'skip' | 'rename'
  /** The path of the item in the target configuration. */
  to: string
  isDependency: boolean
}

interface CopyRequest {
  source: ConfigDocument
  target: ConfigDocument
  chosen: readonly ConfigItem[]
  onConflict: ConflictPolicy
  withDependencies: boolean
}

/** Plans how to copy the chosen configuration items, and the dependencies that the target event lacks, in the order of the source. */
export function planConfigCopy({ source, target, chosen, onConflict, withDependencies }: CopyRequest): CopyStep[] {
  const steps = new Map<string, CopyStep>()
  const keys = new Set(listCopyableItems(target).map(({ path }) => path))
  for (const item of chosen) steps.set(item.path, stepFor(item, target, { onConflict, keys }))
  const needed = dependenciesOf(
    source,
    target,
    [...steps.values()].filter(({ act }) => act !== 'skip').map(({ item }) => item.path),
  )
  const missing = needed.filter((path) => !steps.has(path))
  if (missing.length > 0 && !withDependencies) {
    throw preconditionFailed(
      `${missing.length} required items do not exist at this event: ${missing.slice(0, 10).join(', ')}. Pass withDependencies: true to copy them too`,
      {
        fields: missing.slice(0, 50).map((path) => ({ path, message: 'is required but does not exist' })),
      },
    )
  }
  const items = listCopyableItems(source)
  for (const item of items) {
    if (missing.includes(item.path)) steps.set(item.path, { item, act: 'add', to: item.path, isDependency: true })
  }
  return items.flatMap(({ path }) => steps.get(path) ?? [])
}

function stepFor(
  item: ConfigItem,
  target: ConfigDocument,
  { onConflict, keys }: { onConflict: ConflictPolicy; keys: Set<string> },
): CopyStep {
  const there = findItemValue(target, item.path)
  const step = { item, to: item.path, isDependency: false }
  if (there === undefined) return { ...step, act: 'add' }
  // With `rename`, the settings of a section are skipped, because they have no key that could be changed.
  if (onConflict === 'skip' || isDeepEqual(there, item.value) || (onConflict === 'rename' && isSectionSettings(item)))
    return { ...step, act: 'skip' }
  return onConflict === 'replace' ? { ...step, act: 'replace' } : { ...step, act: 'rename', to: freePath(item.path, keys) }
}

const MAX_KEY = 63

/** Finds an unused key by appending -2, -3 and so on: gala-2, gala-3. */
function freePath(path: string, keys: Set<string>): string {
  const segments = parsePointer(path)
  const key = segments.at(-1)!
  for (let number = 2; ; number++) {
    const ending = `-${number}`
    const free = toPointer([...segments.slice(0, -1), key.slice(0, MAX_KEY - ending.length) + ending])
    if (keys.has(free)) continue
    keys.add(free)
    return free
  }
}

/** Lists the paths of all direct and indirect dependencies that exist in the source event but not in the target event. */
function dependenciesOf(source: ConfigDocument, target: ConfigDocument, paths: readonly string[]): string[] {
  const { needs } = findItemReferences(source)
  const found = new Set<string>()
  const open = [...paths]
  while (open.length > 0) {
    for (const path of needs.get(open.pop()!) ?? []) {
      if (found.has(path) || findItemValue(source, path) === undefined || findItemValue(target, path) !== undefined) continue
      found.add(path)
      open.push(path)
    }
  }
  return [...found]
}
