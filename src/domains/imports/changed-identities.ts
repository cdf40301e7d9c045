import type { EventContext } from '../../kernel/context.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import { findDuplicatePeople } from './known-rows.ts'
import type { ImportRunState, PlannedIdentities } from './run-state.ts'

interface PersonUpdate {
  row: ParticipantRow
  columns: Record<string, unknown>
}

/** The changes of names and email addresses in a batch, by which a participant is unique (I1). */
export interface ChangedIdentities extends PlannedIdentities {
  /** Ids of participants whose new name and email belong to another registration. */
  refused: ReadonlySet<string>
  /** Ids of participants whose former name and email another participant of the batch gets. */
  exchanged: ReadonlySet<string>
}

const IDENTITY_COLUMNS = ['first_name', 'last_name', 'email'] as const

/**
 * Decides which participants of a batch can get a new name or email. A name and email that another participant of the batch gives up are
 * free, so two participants can exchange theirs. Of two participants with the same new name and email, the first gets them.
 */
export async function planIdentityChanges(
  ctx: EventContext,
  state: ImportRunState,
  updates: readonly PersonUpdate[],
): Promise<ChangedIdentities> {
  const asked = updates.flatMap(({ row, columns }) => {
    const [firstName, lastName, email] = IDENTITY_COLUMNS.map((name) => (columns[name] as string | null | undefined) ?? null)
    const isSame = row.first_name === firstName && row.last_name === lastName && row.email === email
    return isSame || row.status === 'cancelled' || !firstName || !lastName
      ? []
      : [{ id: row.id, firstName, lastName, email: email ?? null }]
  })
  const found = await findDuplicatePeople(ctx, state.isTest, asked)
  const changed = asked.map(({ id }, index) => ({ id, ...found[index]! })).filter(({ id, holders }) => !holders.includes(id))
  const allowed = allowChanges(state, changed)
  const renamed = new Set(allowed.map(({ id }) => id))
  return {
    taken: allowed.flatMap(({ known }) => known || []),
    renamed: [...renamed],
    refused: new Set(changed.flatMap(({ id }) => (renamed.has(id) ? [] : [id]))),
    exchanged: new Set(allowed.flatMap(({ holders }) => holders.filter((id) => renamed.has(id)))),
  }
}

interface Change {
  id: string
  known: string
  holders: readonly string[]
}

/** A refused participant keeps its name and email, which can refuse further participants, so the rule is applied until nothing changes. */
function allowChanges(state: ImportRunState, changed: readonly Change[]): readonly Change[] {
  const renamed = new Set([...state.renamed, ...changed.map(({ id }) => id)])
  const taken = new Set(state.planned)
  const allowed = changed.filter(({ known, holders }) => {
    if (known === '') return true
    if (taken.has(known) || holders.some((id) => !renamed.has(id))) return false
    taken.add(known)
    return true
  })
  return allowed.length === changed.length ? allowed : allowChanges(state, allowed)
}
