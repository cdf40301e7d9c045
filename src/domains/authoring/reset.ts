import type { EventContext } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import { summarizeChanges } from '../configuration/diff/describe-changes.ts'
import { replaceAtPath } from '../configuration/operations.ts'
import { followPointer, parsePointer } from '../configuration/pointers.ts'
import { readConfigVersion } from '../configuration/read.ts'
import type { ConfigDocument } from '../configuration/schema/event-config.ts'
import { editConfigDraft } from './edit.ts'
import { truncateLists } from './truncate-lists.ts'

interface Request {
  version: number
  path?: string | undefined
  ifRevision?: number | undefined
}

/** Restores an old version, or one part of it, into the draft. Live pages stay unchanged until the next publish. */
export async function resetToVersion(ctx: EventContext, { version, path, ifRevision }: Request) {
  const whole = path === undefined || path === ''
  const edit = {
    tool: 'reset_to_version',
    operations: { version, path: path ?? '' },
    ifRevision,
    ...(whole ? { restoredFrom: version } : {}),
  }
  const edited = await editConfigDraft(ctx, edit, async ({ document, facts }) => {
    const old = (await readConfigVersion(ctx, version, facts)).document
    return whole ? old : restorePart(document, old, path, version)
  })
  return {
    draftRevision: edited.draftRevision,
    restoredFrom: version,
    changes: { ...summarizeChanges(edited.changes) },
    ...truncateLists(
      { issues: edited.issues, changed: edited.changes.map(({ path: where }) => where) },
      'diff_versions and validate_schema accept a path',
    ),
  }
}

function restorePart(draft: ConfigDocument, old: ConfigDocument, path: string, version: number): ConfigDocument {
  const segments = parsePointer(path)
  const { location, left } = followPointer(old, segments)
  if (left.length > 0) throw notFound(`No ${path} in version ${version}; the path exists only up to ${location.path || 'the root'}`)
  const target = parsePointer(location.path)
  const parent = followPointer(draft, target.slice(0, -1))
  if (parent.left.length > 0)
    throw notFound(`${path} no longer exists in the draft: reset a larger part, such as ${parent.location.path || 'the whole'}`)
  const { node, value } = parent.location
  const isGone = node.kind === 'list' && followPointer(draft, target).left.length > 0
  if (!isGone) return replaceAtPath(draft, target, location.value)
  const siblings = (followPointer(old, target.slice(0, -1)).location.value ?? []) as unknown[]
  return replaceAtPath(draft, target.slice(0, -1), restoreItem((value ?? []) as unknown[], location.value, { siblings, key: node.key }))
}

/** Inserts the restored item after the nearest preceding sibling that still exists. Items without a key go to the end. */
function restoreItem(items: readonly unknown[], item: unknown, { siblings, key }: { siblings: unknown[]; key: string | null }): unknown[] {
  if (key === null) return [...items, item]
  const keyIn = (one: unknown) => (one as Record<string, unknown>)[key]
  const positions = new Map(items.map((one, index) => [keyIn(one), index]))
  const before = siblings.slice(0, siblings.indexOf(item)).findLast((one) => positions.has(keyIn(one)))
  return items.toSpliced(before === undefined ? 0 : positions.get(keyIn(before))! + 1, 0, item)
}
