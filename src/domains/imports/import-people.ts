import type { EventContext } from '../../kernel/context.ts'
import { sumMinorUnits } from '../../kernel/money.ts'
import type { ImportedOrder } from '../orders/import-orders.ts'
import { hashPersonWithPurchases, listPersonPurchases, listPurchasesToImport } from './imported-lines.ts'
import { linkPeopleToUnusedInvites } from './invited-tags.ts'
import {
  saveImportedRows,
  type ImportedSourceRow,
  type PreviouslyImportedRow,
  readPreviouslyImportedRows,
  markRowsPresentInRun,
  findDuplicatePeople,
} from './known-rows.ts'
import type { ParsedPerson } from './read-person.ts'
import { type NewImportedPerson, registerImportedPeople } from './register-people.ts'
import type { ImportRunState, PlannedIdentities } from './run-state.ts'
import type { ImportRunCounts } from './runs.ts'
import { type PeopleUpdatePlan, planPeopleUpdate, updateImportedPeople } from './update-people.ts'

/** What importing one batch of people will create and change. */
export interface PeopleImportPlan {
  /** The people of the batch. Each key of the imported file occurs once; duplicates are already counted. */
  people: readonly ParsedPerson[]
  known: ReadonlyMap<string, PreviouslyImportedRow>
  created: readonly NewImportedPerson[]
  update: PeopleUpdatePlan
  /** The names and emails that this batch gives to people, to detect duplicates in later batches. */
  identities: PlannedIdentities
}

/** Decides which people of a batch are new, changed in the file or already registered, and counts them. Writes nothing to the database. */
export async function planPeopleImport(
  ctx: EventContext,
  state: ImportRunState,
  { sheet, people }: { sheet: string; people: readonly ParsedPerson[] },
  counts: ImportRunCounts,
): Promise<PeopleImportPlan> {
  const known = await readPreviouslyImportedRows(
    ctx,
    state,
    'participant',
    people.map(({ key }) => key),
  )
  const isNew = people.filter(({ key }) => !known.has(key))
  const changed = people.filter((person) => {
    const before = known.get(person.key)
    return before !== undefined && state.run.options.updateExisting && !before.content_hash.equals(hashPersonWithPurchases(state, person))
  })
  const update = await planPeopleUpdate(ctx, state, { sheet, people: changed }, known, counts)
  const { created, identities } = await dropDuplicates(ctx, state, isNew, update.identities)
  counts.created += created.length
  counts.duplicates += isNew.length - created.length
  counts.unchanged += people.length - isNew.length - changed.length
  counts.money.ordered += sumMinorUnits(created.flatMap((person) => listPurchasesToImport(state, person).map(({ total }) => total)))
  return { people, known, created: await linkPeopleToUnusedInvites(ctx, state, created), update, identities }
}

/** The registrations that a batch created. */
export interface CreatedRegistrations {
  /** Participant ids by the key that identifies a person in the imported file. */
  ids: ReadonlyMap<string, string>
  /** The orders of the created participants. They are saved later, together with their payments. */
  orders: readonly ImportedOrder[]
}

/** Imports the people of a batch: creates new registrations and updates those that changed in the file. */
export async function importPlannedPeople(
  ctx: EventContext,
  state: ImportRunState,
  { people, known, created, update }: PeopleImportPlan,
): Promise<CreatedRegistrations> {
  if (state.run.dry_run) {
    for (const { key } of [...created, ...people.filter((one) => known.has(one.key))]) state.present.add(key)
    for (const key of known.keys()) state.seen.add(key)
    return { ids: new Map(), orders: [] }
  }
  // Updates come first, because a new person may have the former name and email of another.
  const updated = await updateImportedPeople(ctx, state, update)
  const { ids, orders } = await registerImportedPeople(ctx, state, created)
  const imported = [...created.map((person, index) => toImportedRow(state, person, ids[index]!)), ...updated]
  await saveImportedRows(ctx, state, 'participant', imported)
  const saved = new Set(imported.map(({ key }) => key))
  const seen = people.map(({ key }) => key).filter((key) => known.has(key) && !saved.has(key))
  await markRowsPresentInRun(ctx, state, 'participant', seen)
  return { ids: new Map(created.map(({ key }, index) => [key, ids[index]!])), orders }
}

/** Skips people of the file who are already registered or who occur earlier in the file. `changes` are those of known people of the batch. */
async function dropDuplicates(ctx: EventContext, state: ImportRunState, people: readonly ParsedPerson[], changes: PlannedIdentities) {
  const duplicates = await findDuplicatePeople(
    ctx,
    state.isTest,
    people.map(({ answers }) => ({
      firstName: String(answers['@participant.firstName']),
      lastName: String(answers['@participant.lastName']),
      email: (answers['@participant.email'] as string | undefined) ?? null,
    })),
  )
  const renamed = new Set([...state.renamed, ...changes.renamed])
  const taken = new Set(changes.taken)
  const created = people.filter(({ status }, index) => {
    const { known, holders } = duplicates[index]!
    // A cancelled registration or one without an email address never counts as a duplicate.
    if (known === '' || status === 'cancelled') return true
    if (holders.some((id) => !renamed.has(id)) || taken.has(known) || state.planned.has(known)) return false
    taken.add(known)
    return true
  })
  return { created, identities: { taken: [...taken], renamed: changes.renamed } }
}

const toImportedRow = (state: ImportRunState, person: NewImportedPerson, entityId: string): ImportedSourceRow => ({
  key: person.key,
  hash: hashPersonWithPurchases(state, person),
  written: {
    ...person.answers,
    tags: person.tags,
    status: person.status,
    lines: listPersonPurchases(state, person),
    ...(person.invite ? { invitedTags: person.invite.tags } : {}),
  },
  entityId,
})
