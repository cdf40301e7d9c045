import type { EventContext } from '../../kernel/context.ts'
import type { Impact } from '../configuration/compare.ts'
import type { Change } from '../configuration/diff/diff.ts'
import { type Named, recordUses } from '../registration/record-uses.ts'
import { namedBy } from './orphans.ts'

/** Beyond this many things that records could name, counting them all would take longer than anybody waits. */
const MAX_COUNTED = 50

/** How many people answered, chose, carry or came by what changes, by the change's path. */
export async function impactsOf(ctx: EventContext, changes: readonly Change[]): Promise<ReadonlyMap<string, Impact>> {
  const concerned = changes.flatMap((change) => {
    const named = namedIn(change)
    return named ? [{ path: change.path, named }] : []
  })
  const counted = concerned.slice(0, MAX_COUNTED)
  const uses = await recordUses(
    ctx,
    counted.map(({ named }) => named),
  )
  const known = counted.flatMap(({ path, named }, index): [string, Impact][] => {
    const participants = uses[index]!.count
    return participants === 0 ? [] : [[path, { participants, note: noteOf(named, participants) }]]
  })
  return new Map(known)
}

/** The thing itself, or a setting of it; not what merely stands in it, such as a widget in a flow. */
function namedIn({ path, kind, from }: Change): Named | null {
  if (kind === 'moved') return null
  if (kind === 'renamed') return namedBy(`${path.slice(0, path.lastIndexOf('/'))}/${from}`)
  const own = namedBy(path)
  return own ? (kind === 'added' ? null : own) : namedBy(path.slice(0, path.lastIndexOf('/')))
}

function noteOf(named: Named, participants: number): string {
  const people = `${participants} ${participants === 1 ? 'participant' : 'participants'}`
  if (named.kind === 'customField') return `${people} answered ${named.code}`
  if (named.kind === 'product')
    return `${participants} ${participants === 1 ? 'order or wait names' : 'orders and waits name'} ${named.code}`
  if (named.kind === 'choice') return `${people} chose ${named.code}`
  return named.kind === 'flow' ? `${people} registered through ${named.code}` : `${people} carry the tag ${named.code}`
}
