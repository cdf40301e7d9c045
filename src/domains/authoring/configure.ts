import type { EventContext } from '../../kernel/context.ts'
import { isDeepEqual } from '../configuration/diff/diff.ts'
import { followPointer, isJsonObject, parsePointer, toPointer } from '../configuration/pointers.ts'
import { readLiveConfiguration } from '../configuration/read.ts'
import type { ConfigDocument } from '../configuration/schema/event-config.ts'
import { ROOT_NODE } from '../configuration/schema/nodes.ts'
import { toPublishedDocument } from '../configuration/versions.ts'
import type { ConfigDraftEditResult } from './edit.ts'
import { toStoredItemKey } from './merge.ts'
import { mergeIntoConfigDraft } from './merge-into-draft.ts'
import { truncateListsWithWarnings } from './truncate-lists.ts'

interface Request {
  sections: Record<string, unknown>
  ifRevision?: number | undefined
}

/** Adds and changes many parts of the draft in one call, or none if the result would be invalid. */
export async function configureEvent(ctx: EventContext, { sections, ifRevision }: Request) {
  const { edited, warnings } = await mergeIntoConfigDraft(
    ctx,
    { tool: 'configure_event', operations: { sections }, ifRevision },
    () => sections,
  )
  return {
    ...truncateListsWithWarnings(warnings, outcomeOf(edited, sections), 'diff_versions and validate_schema show the rest'),
    draftRevision: edited.draftRevision,
    needsPublish: await hasUnpublishedChanges(ctx, edited),
  }
}

/** Lists which parts of the draft the call added, updated or left unchanged: list items by key, other settings individually. */
function outcomeOf({ before, after }: ConfigDraftEditResult, given: Record<string, unknown>) {
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
    if (node.kind === 'record' && isJsonObject(value)) {
      return Object.entries(value).flatMap(([name, entries]) =>
        Object.keys(isJsonObject(entries) ? entries : {}).map((key): Part => ({ path: toPointer([section, name, key]), isItem: true })),
      )
    }
    if (node.kind !== 'object' || !isJsonObject(value)) return []
    return Object.entries(value).flatMap(
      ([name, part]): Part[] => itemPaths(`${section}/${name}`, part) ?? [{ path: toPointer([section, name]), isItem: false }],
    )
  })
}

function itemPaths(path: string, value: unknown): Part[] | null {
  const { node } = followPointer({}, path.split('/')).location
  if (node.kind !== 'list' || node.key === null || !Array.isArray(value)) return null
  return value.filter(isJsonObject).map((item) => ({ path: `/${path}${toPointer([String(toStoredItemKey(node, item))])}`, isItem: true }))
}

function valueAt(document: ConfigDocument, path: string): unknown {
  const { location, left } = followPointer(document, parsePointer(path))
  return left.length > 0 ? undefined : location.value
}

/** Whether the draft differs from the live version. */
export async function hasUnpublishedChanges(ctx: EventContext, { after }: ConfigDraftEditResult): Promise<boolean> {
  const live = await readLiveConfiguration(ctx, after)
  return live?.sha256 !== (await toPublishedDocument(after)).sha256
}
