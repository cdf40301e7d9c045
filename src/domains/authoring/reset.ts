import type { EventContext } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import { summarize } from '../configuration/diff/words.ts'
import { put } from '../configuration/operations.ts'
import { follow, parsePointer } from '../configuration/pointers.ts'
import { readVersion } from '../configuration/read.ts'
import type { ConfigDocument } from '../configuration/schema/event-config.ts'
import { editDraft } from './edit.ts'
import { fitting } from './told.ts'

interface Request {
  version: number
  path?: string | undefined
  ifRevision?: number | undefined
}

/** Puts an old version, or one part of it, into the draft. Live pages stay until the next publish. */
export async function resetToVersion(ctx: EventContext, { version, path, ifRevision }: Request) {
  const whole = path === undefined || path === ''
  const edit = {
    tool: 'reset_to_version',
    operations: { version, path: path ?? '' },
    ifRevision,
    ...(whole ? { restoredFrom: version } : {}),
  }
  const edited = await editDraft(ctx, edit, async ({ document, facts }) => {
    const old = (await readVersion(ctx, version, facts)).document
    return whole ? old : withPart(document, old, path, version)
  })
  return {
    draftRevision: edited.draftRevision,
    restoredFrom: version,
    changes: { ...summarize(edited.changes) },
    ...fitting(
      { issues: edited.issues, changed: edited.changes.map(({ path: where }) => where) },
      'diff_versions and validate_schema take a path',
    ),
  }
}

function withPart(draft: ConfigDocument, old: ConfigDocument, path: string, version: number): ConfigDocument {
  const segments = parsePointer(path)
  const { place, left } = follow(old, segments)
  if (left.length > 0) throw notFound(`No ${path} in version ${version}; it leads as far as ${place.path || 'the root'}`)
  const target = parsePointer(place.path)
  const parent = follow(draft, target.slice(0, -1))
  if (parent.left.length > 0)
    throw notFound(`No ${path} in the draft any more: reset a larger part, such as ${parent.place.path || 'the whole'}`)
  const { node, value } = parent.place
  const isGone = node.kind === 'list' && follow(draft, target).left.length > 0
  if (!isGone) return put(draft, target, place.value)
  const siblings = (follow(old, target.slice(0, -1)).place.value ?? []) as unknown[]
  return put(draft, target.slice(0, -1), withItem((value ?? []) as unknown[], place.value, { siblings, key: node.key }))
}

/** Where the item stood: behind the nearest of those that came before it and are still there. Rows without a key go to the end. */
function withItem(items: readonly unknown[], item: unknown, { siblings, key }: { siblings: unknown[]; key: string | null }): unknown[] {
  if (key === null) return [...items, item]
  const keyIn = (one: unknown) => (one as Record<string, unknown>)[key]
  const places = new Map(items.map((one, index) => [keyIn(one), index]))
  const before = siblings.slice(0, siblings.indexOf(item)).findLast((one) => places.has(keyIn(one)))
  return items.toSpliced(before === undefined ? 0 : places.get(keyIn(before))! + 1, 0, item)
}
