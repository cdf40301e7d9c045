import type { EventContext } from '../../kernel/context.ts'
import { sumMinorUnits } from '../../kernel/money.ts'
import { hashWithLines, linesOf, soldLinesOf } from './imported-lines.ts'
import { saveImportedRows, type ImportedRow, readKnownRows, markRowsSeen, findDuplicates } from './known-rows.ts'
import type { ReadPerson } from './read-person.ts'
import { registerPeople } from './register-people.ts'
import type { RunState } from './run-state.ts'
import type { RunCounts } from './runs.ts'
import { updatePeople } from './update-people.ts'

interface PeopleBatch {
  sheet: string
  /** The people of the batch. Each source key occurs once; duplicates were counted before. */
  people: readonly ReadPerson[]
}

/**
 * Imports one batch of people: creates new registrations and updates those that changed in the file. Fields edited here since the last
 * import stay. Returns the normalized names and emails of the new people, to detect duplicates in later batches.
 */
export async function importPeople(
  ctx: EventContext,
  state: RunState,
  { sheet, people }: PeopleBatch,
  counts: RunCounts,
): Promise<string[]> {
  const keys = people.map(({ key }) => key)
  const known = await readKnownRows(ctx, state, 'participant', keys)
  const isNew = people.filter(({ key }) => !known.has(key))
  const { created, met } = await dropDuplicates(ctx, state, isNew)
  const changed = people.filter((person) => {
    const before = known.get(person.key)
    return before !== undefined && state.run.options.updateExisting && !before.content_hash.equals(hashWithLines(state, person))
  })
  counts.created += created.length
  counts.duplicates += isNew.length - created.length
  counts.unchanged += people.length - isNew.length - changed.length
  counts.money.ordered += sumMinorUnits(created.flatMap((person) => soldLinesOf(state, person).map(({ total }) => total)))
  const updated = await updatePeople(ctx, state, { sheet, people: changed }, known, counts)
  if (state.run.dry_run) {
    for (const key of [...created.map((person) => person.key), ...keys.filter((one) => known.has(one))]) state.present.add(key)
    return met
  }
  const ids = await registerPeople(ctx, state, created)
  const imported = [...created.map((person, index) => toImportedRow(state, person, ids[index]!)), ...updated]
  await saveImportedRows(ctx, state, 'participant', imported)
  const saved = new Set(imported.map(({ key }) => key))
  const seen = keys.filter((key) => known.has(key) && !saved.has(key))
  await markRowsSeen(ctx, state, 'participant', seen)
  return met
}

/** Drops people who are already registered, and people who occur earlier in the file. */
async function dropDuplicates(ctx: EventContext, state: RunState, people: readonly ReadPerson[]) {
  const duplicates = await findDuplicates(
    ctx,
    state.isTest,
    people.map(({ answers }) => ({
      firstName: String(answers['@participant.firstName']),
      lastName: String(answers['@participant.lastName']),
      email: (answers['@participant.email'] as string | undefined) ?? null,
    })),
  )
  const met = new Set<string>()
  const created = people.filter(({ status }, index) => {
    const { known, taken } = duplicates[index]!
    // A cancelled registration is never a duplicate, and neither is one without an email address.
    if (known === '' || status === 'cancelled') return true
    if (taken || met.has(known) || state.planned.has(known)) return false
    met.add(known)
    return true
  })
  return { created, met: [...met] }
}

const toImportedRow = (state: RunState, person: ReadPerson, entityId: string): ImportedRow => ({
  key: person.key,
  hash: hashWithLines(state, person),
  written: { ...person.answers, tags: person.tags, status: person.status, lines: linesOf(state, person) },
  entityId,
})
