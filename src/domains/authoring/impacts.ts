import type { EventContext } from '../../kernel/context.ts'
import type { ChangeImpact } from '../configuration/compare.ts'
import type { Change } from '../configuration/diff/diff.ts'
import { type ConfigItemReference, countConfigItemUses } from '../registration/sale/record-uses.ts'
import { toRecordReference } from './orphans.ts'

/** Maximum number of changed configuration items whose participants and orders are counted, to limit the response time. */
const MAX_COUNTED = 50

/** Counts the participants who use the changed items, by the path of the change. */
export async function countChangeImpacts(ctx: EventContext, changes: readonly Change[]): Promise<ReadonlyMap<string, ChangeImpact>> {
  const concerned = changes.flatMap((change) => {
    const named = findChangedReference(change)
    return named ? [{ path: change.path, named }] : []
  })
  const counted = concerned.slice(0, MAX_COUNTED)
  const uses = await countConfigItemUses(
    ctx,
    counted.map(({ named }) => named),
  )
  const known = counted.flatMap(({ path, named }, index): [string, ChangeImpact][] => {
    const participants = uses[index]!.count
    return participants === 0 ? [] : [[path, { participants, note: describeImpact(named, participants) }]]
  })
  return new Map(known)
}

/** Returns the item that changed or whose setting changed; null for deeper parts such as a widget in a flow. */
function findChangedReference({ path, kind, from }: Change): ConfigItemReference | null {
  if (kind === 'moved') return null
  if (kind === 'renamed') return toRecordReference(`${path.slice(0, path.lastIndexOf('/'))}/${from}`)
  const own = toRecordReference(path)
  return own ? (kind === 'added' ? null : own) : toRecordReference(path.slice(0, path.lastIndexOf('/')))
}

function describeImpact(named: ConfigItemReference, participants: number): string {
  const people = `${participants} ${participants === 1 ? 'participant' : 'participants'}`
  if (named.kind === 'customField') return `${people} answered ${named.code}`
  if (named.kind === 'product')
    return `${participants} ${participants === 1 ? 'order or waiting-list entry uses' : 'orders and waiting-list entries use'} ${named.code}`
  if (named.kind === 'choice') return `${people} chose ${named.code}`
  return named.kind === 'flow' ? `${people} registered through ${named.code}` : `${people} have the tag ${named.code}`
}
