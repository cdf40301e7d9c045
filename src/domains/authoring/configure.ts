import type { EventContext } from '../../kernel/context.ts'
import { isSame } from '../configuration/diff/diff.ts'
import { follow, isRecord, parsePointer, pointerOf } from '../configuration/pointers.ts'
import { readLive } from '../configuration/read.ts'
import type { ConfigDocument } from '../configuration/schema/event-config.ts'
import { ROOT } from '../configuration/schema/nodes.ts'
import { asVersion } from '../configuration/versions.ts'
import type { Edited } from './edit.ts'
import { writtenKey } from './merge.ts'
import { mergeIntoDraft } from './merge-into-draft.ts'
import { fittingWithWarnings } from './told.ts'

interface Request {
  sections: Record<string, unknown>
  ifRevision?: number | undefined
}

/** Adds and changes many parts of the draft at once, or none when the whole would not hold together. */
export async function configureEvent(ctx: EventContext, { sections, ifRevision }: Request) {
  const { edited, warnings } = await mergeIntoDraft(ctx, { tool: 'configure_event', operations: { sections }, ifRevision }, () => sections)
  return {
    ...fittingWithWarnings(warnings, outcomeOf(edited, sections), 'diff_versions and validate_schema tell the rest'),
    draftRevision: edited.draftRevision,
    needsPublish: await needsPublish(ctx, edited),
  }
}

/** Each part that was given, by what became of it: items of lists by their key, other settings one by one. */
function outcomeOf({ before, after }: Edited, given: Record<string, unknown>) {
  const outcome = { added: [] as string[], updated: [] as string[], unchanged: [] as string[] }
  for (const { path, isItem } of partsOf(given)) {
    const [was, is] = [valueAt(before.document, path), valueAt(after.document, path)]
    const kind = isSame(was, is) ? 'unchanged' : isItem && was === undefined ? 'added' : 'updated'
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
    const node = ROOT.fields.get(section)!
    const items = itemPaths(section, value)
    if (items) return items
    if (node.kind === 'record' && isRecord(value)) {
      return Object.entries(value).flatMap(([name, entries]) =>
        Object.keys(isRecord(entries) ? entries : {}).map((key): Part => ({ path: pointerOf([section, name, key]), isItem: true })),
      )
    }
    if (node.kind !== 'object' || !isRecord(value)) return []
    return Object.entries(value).flatMap(
      ([name, part]): Part[] => itemPaths(`${section}/${name}`, part) ?? [{ path: pointerOf([section, name]), isItem: false }],
    )
  })
}

function itemPaths(path: string, value: unknown): Part[] | null {
  const { node } = follow({}, path.split('/')).place
  if (node.kind !== 'list' || node.key === null || !Array.isArray(value)) return null
  return value.filter(isRecord).map((item) => ({ path: `/${path}${pointerOf([String(writtenKey(node, item))])}`, isItem: true }))
}

function valueAt(document: ConfigDocument, path: string): unknown {
  const { place, left } = follow(document, parsePointer(path))
  return left.length > 0 ? undefined : place.value
}

/** Whether the draft says anything else than what is live. */
export async function needsPublish(ctx: EventContext, { after }: Edited): Promise<boolean> {
  const live = await readLive(ctx, after)
  return live?.sha256 !== (await asVersion(after)).sha256
}
