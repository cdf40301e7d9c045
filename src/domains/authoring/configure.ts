import type { EventContext } from '../../kernel/context.ts'
import { isDeepEqual } from '../configuration/diff/diff.ts'
import { followPointer, isRecord, parsePointer, toPointer } from '../configuration/pointers.ts'
import { readLiveConfiguration } from '../configuration/read.ts'
import type { ConfigDocument } from '../configuration/schema/event-config.ts'
import { ROOT_NODE } from '../configuration/schema/nodes.ts'
import { toPublishedForm } from '../configuration/versions.ts'
import type { DraftEditResult } from './edit.ts'
import { toStoredItemKey } from './merge.ts'
import { mergeIntoDraft } from './merge-into-draft.ts'
import { truncateListsWithWarnings } from './truncate-lists.ts'

interface Request {
  sections: Record<string, unknown>
  ifRevision?: number | undefined
}

/** Adds and changes many parts of the draft in one call, or none if the result would be invalid. */
export async function configureEvent(ctx: EventContext, { sections, ifRevision }: Request) {
  const { edited, warnings } = await mergeIntoDraft(ctx, { tool: 'configure_event', operations: { sections }, ifRevision }, () => sections)
  return {
    ...truncateListsWithWarnings(warnings, outcomeOf(edited, sections), 'diff_versions and validate_schema show the rest'),
    draftRevision: edited.draftRevision,
    needsPublish: await needsPublish(ctx, edited),
  }
}

/** Classifies each given part as added, updated or unchanged: list items by key, other settings individually. */
function outcomeOf({ before, after }: DraftEditResult, given: Record<string, unknown>) {
  const outcome = { added: [] as string[], updated: [] as string[], unchanged: [] as string[] }
  for (const { path, isItem } of partsOf(given)) {
    const [was, is] = [valueAt(before.document, path), valueAt(after.document, path)]
    const kind = isDeepEqual(was, is) ? 'unchanged' : isItem && was === undefined ? 'added' : 'updated'
    outcome[kind].push(path)
  }
  return outcome
}

interface Part {
  path: string
  isItem: boolean
}

function partsOf(given: Record<string, unknown>): Part[] {
  return Object.entries(given).flatMap(([section, value]): Part[] => {
    const node = ROOT_NODE.fields.get(section)!
    const items = itemPaths(section, value)
    if (items) return items
    if (node.kind === 'record' && isRecord(value)) {
      return Object.entries(value).flatMap(([name, entries]) =>
        Object.keys(isRecord(entries) ? entries : {}).map((key): Part => ({ path: toPointer([section, name, key]), isItem: true })),
      )
    }
    if (node.kind !== 'object' || !isRecord(value)) return []
    return Object.entries(value).flatMap(
      ([name, part]): Part[] => itemPaths(`${section}/${name}`, part) ?? [{ path: toPointer([section, name]), isItem: false }],
    )
  })
}

function itemPaths(path: string, value: unknown): Part[] | null {
  const { node } = followPointer({}, path.split('/')).location
  if (node.kind !== 'list' || node.key === null || !Array.isArray(value)) return null
  return value.filter(isRecord).map((item) => ({ path: `/${path}${toPointer([String(toStoredItemKey(node, item))])}`, isItem: true }))
}

function valueAt(document: ConfigDocument, path: string): unknown {
  const { location, left } = followPointer(document, parsePointer(path))
  return left.length > 0 ? undefined : location.value
}

/** Whether the draft differs from the live version. */
export async function needsPublish(ctx: EventContext, { after }: DraftEditResult): Promise<boolean> {
  const live = await readLiveConfiguration(ctx, after)
  return live?.sha256 !== (await toPublishedForm(after)).sha256
}
