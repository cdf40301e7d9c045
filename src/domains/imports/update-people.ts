import { isDeepStrictEqual } from 'node:util'
import type { EventContext } from '../../kernel/context.ts'
import { readStoredAnswers, toParticipantAnswerColumns } from '../registration/answers.ts'
import { getParticipants, releaseNames, updateParticipant } from '../registration/participant-rows.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import { recalculateTags } from '../registration/tags.ts'
import { type ChangedIdentities, planIdentityChanges } from './changed-identities.ts'
import { PERSON_EMAIL_FIELD } from './fields.ts'
import { hashPersonWithPurchases, listPersonPurchases } from './imported-lines.ts'
import type { ImportedSourceRow, PreviouslyImportedRow } from './known-rows.ts'
import type { ImportedPurchase, ParsedPerson } from './read-person.ts'
import type { ImportRunState } from './run-state.ts'
import type { ImportErrorRow, ImportRunCounts } from './runs.ts'

const MAX_SHOWN_LOCAL_EDITS = 100

interface PersonUpdate {
  person: ParsedPerson
  row: ParticipantRow
  changes: PersonChanges
  /** The columns of the participant to write. Null if the row changes nothing. */
  columns: ReturnType<typeof toColumns> | null
  imported: ImportedSourceRow
}

/** What the changed rows of a batch will change in registrations of earlier imports. */
export interface PeopleUpdatePlan {
  updates: readonly PersonUpdate[]
  errors: readonly ImportErrorRow[]
  /** Keys of the people whose rows cannot update their registration. */
  rejected: ReadonlySet<string>
  identities: ChangedIdentities
}

/**
 * Decides which fields of registrations change, and counts them: those that still have the value of the last import. Fields that were edited
 * in Lanyard since then keep their values and are reported as local edits. Writes nothing.
 */
export async function planPeopleUpdate(
  ctx: EventContext,
  state: ImportRunState,
  { sheet, people }: { sheet: string; people: readonly ParsedPerson[] },
  known: ReadonlyMap<string, PreviouslyImportedRow>,
  counts: ImportRunCounts,
): Promise<PeopleUpdatePlan> {
  const ids = people.map(({ key }) => known.get(key)!.entity_id)
  const rows = new Map(ids.length === 0 ? [] : (await getParticipants(ctx, ids)).map((row) => [row.id, row]))
  const errors: ImportErrorRow[] = []
  const rejected = new Set<string>()
  const reject = (person: ParsedPerson, refusal: keyof typeof REFUSALS) => {
    errors.push(toErrorRow(sheet, person, refusal))
    rejected.add(person.key)
  }
  const planned = people.flatMap((person) => {
    const before = known.get(person.key)!
    const row = rows.get(before.entity_id)
    const refusal = findRefusal(state, person, before.written as unknown as WrittenPerson, row)
    if (refusal === null && row !== undefined) return [toUpdate(state, person, before, row)]
    reject(person, refusal ?? 'removed')
    return []
  })
  const identities = await planIdentityChanges(
    ctx,
    state,
    planned.flatMap(({ row, columns }) => (columns ? [{ row, columns }] : [])),
  )
  const updates = planned.filter(({ row }) => !identities.refused.has(row.id))
  for (const { person, row } of planned) if (identities.refused.has(row.id)) reject(person, 'duplicate')
  for (const { person, row, changes, columns } of updates) {
    counts.localEditCount += changes.edited.length
    counts.localEdits.push(
      ...changes.edited
        .map((field) => ({ sheet, row: person.row, participantId: row.id, field }))
        .slice(0, Math.max(0, MAX_SHOWN_LOCAL_EDITS - counts.localEdits.length)),
    )
    if (columns) counts.updated++
    else counts.unchanged++
  }
  counts.errors += errors.length
  return { updates, errors, rejected, identities }
}

/** Writes the planned updates. Returns the values of the rows, for the next import. */
export async function updateImportedPeople(
  ctx: EventContext,
  state: ImportRunState,
  { updates, identities: { exchanged } }: PeopleUpdatePlan,
): Promise<ImportedSourceRow[]> {
  const written = updates.flatMap(({ row, columns }) => (columns ? [{ row, columns }] : []))
  const released = await releaseNames(
    ctx,
    written.flatMap(({ row }) => (exchanged.has(row.id) ? [row] : [])),
  )
  const current = new Map(released.map((row) => [row.id, row]))
  // All updates are started before the first result is awaited, so that the database driver sends them together.
  await Promise.all(written.map(({ row, columns }) => updateParticipant(ctx, current.get(row.id) ?? row, columns)))
  if (written.length > 0)
    await recalculateTags(
      ctx,
      state.rules.config,
      written.map(({ row }) => row.id),
    )
  return updates.map(({ imported }) => imported)
}

function toUpdate(
  state: ImportRunState,
  person: ParsedPerson,
  { written, entity_id }: PreviouslyImportedRow,
  row: ParticipantRow,
): PersonUpdate {
  const before = written as unknown as WrittenPerson
  const changes = compare(person, before, row)
  return {
    person,
    row,
    changes,
    columns: changes.replacesTags || changes.replaced.length > 0 ? toColumns(person, before, row, changes) : null,
    imported: {
      key: person.key,
      hash: hashPersonWithPurchases(state, person),
      written: toWritten(person, before, changes),
      entityId: entity_id,
    },
  }
}

/** The values that the last import wrote for a person: answers by binding (such as `@participant.email`), tags, status and order lines. */
type WrittenPerson = { tags: string[]; status: string; lines: ImportedPurchase[]; invitedTags?: string[] } & Record<string, unknown>

const REFUSALS = {
  status: 'The status differs from the imported one. Change it with edit_participant.',
  amount: 'The purchased products differ from the imported ones. Change them with edit_participant.',
  removed: 'The registration created from this row no longer exists.',
  duplicate: 'Another registration has this name and email address.',
}

const REFUSED_COLUMNS = { status: 'statusText', amount: 'amountDue', removed: 'amountDue', duplicate: PERSON_EMAIL_FIELD }

/**
 * Returns why a row cannot update its registration, for example because its status or purchases changed. An import updates only answers
 * and tags.
 */
function findRefusal(
  state: ImportRunState,
  person: ParsedPerson,
  { status, lines }: WrittenPerson,
  row: ParticipantRow | undefined,
): keyof typeof REFUSALS | null {
  if (row === undefined) return 'removed'
  if (status !== person.status) return 'status'
  return isDeepStrictEqual(lines, listPersonPurchases(state, person)) ? null : 'amount'
}

const toErrorRow = (sheet: string, { row, answers }: ParsedPerson, code: keyof typeof REFUSALS): ImportErrorRow => ({
  sheet,
  row,
  column: REFUSED_COLUMNS[code],
  value: code === 'duplicate' ? String(answers[PERSON_EMAIL_FIELD] ?? '') : '',
  code,
  message: REFUSALS[code],
})

interface PersonChanges {
  /**
   * The bindings (identifiers of questions) of answers that changed both in the file and in Lanyard since the last import. Lanyard's values
   * are kept.
   */
  edited: readonly string[]
  /** The bindings (identifiers of questions) of answers that changed in the file but not in Lanyard since the last import. */
  replaced: readonly string[]
  replacesTags: boolean
}

function compare(
  person: ParsedPerson,
  { tags, status: _status, lines: _lines, invitedTags = [], ...before }: WrittenPerson,
  row: ParticipantRow,
): PersonChanges {
  const now = readStoredAnswers(row)
  const fields = [...new Set([...Object.keys(before), ...Object.keys(person.answers)])]
  const differing = fields.filter((field) => !isDeepStrictEqual(before[field], person.answers[field]))
  const edited = differing.filter(
    (field) => !isDeepStrictEqual(now[field], before[field]) && !isDeepStrictEqual(now[field], person.answers[field]),
  )
  const tagsEdited = !isDeepStrictEqual(row.manual_tags.toSorted(), withInvitedTags(tags, invitedTags).toSorted())
  return {
    edited,
    replaced: differing.filter((field) => !edited.includes(field)),
    replacesTags: !isDeepStrictEqual(tags, person.tags) && !tagsEdited,
  }
}

/** Adds the tags that the participant got from an invite list. They stay when the tags in the imported file change. */
const withInvitedTags = (tags: readonly string[], invitedTags: readonly string[] = []) => [...new Set([...tags, ...invitedTags])]

const toColumns = (person: ParsedPerson, before: WrittenPerson, row: ParticipantRow, { replaced, replacesTags }: PersonChanges) => ({
  ...toParticipantAnswerColumns({
    ...readStoredAnswers(row),
    ...Object.fromEntries(replaced.map((field) => [field, person.answers[field] ?? null])),
  }),
  ...(replacesTags ? { manual_tags: withInvitedTags(person.tags, before.invitedTags) } : {}),
})

/**
 * Returns the values to store for the next import. A field that was edited in Lanyard keeps the value of the earlier import, so that the
 * next import detects the edit again.
 */
function toWritten(person: ParsedPerson, before: WrittenPerson, { edited, replacesTags }: PersonChanges): WrittenPerson {
  const { tags, status, lines, invitedTags } = before
  const fresh = Object.fromEntries(Object.entries(person.answers).filter(([field]) => !edited.includes(field)))
  const kept = Object.fromEntries(edited.flatMap((field) => (before[field] === undefined ? [] : [[field, before[field]]])))
  return { ...fresh, ...kept, tags: replacesTags ? person.tags : tags, status, lines, ...(invitedTags ? { invitedTags } : {}) }
}
