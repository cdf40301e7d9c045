import { isDeepStrictEqual } from 'node:util'
import type { EventContext } from '../../kernel/context.ts'
import { readStoredAnswers, toParticipantAnswerColumns } from '../registration/answers.ts'
import { getParticipants, updateParticipant } from '../registration/participant-rows.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import { recalculateTags } from '../registration/tags.ts'
import { hashPersonWithPurchases, listPersonPurchases } from './imported-lines.ts'
import type { ImportedSourceRow, PreviouslyImportedRow } from './known-rows.ts'
import type { ImportedPurchase, ParsedPerson } from './read-person.ts'
import { saveRowErrors, type ImportRunState } from './run-state.ts'
import type { ImportErrorRow, ImportRunCounts } from './runs.ts'

const MAX_SHOWN_LOCAL_EDITS = 100

/**
 * Updates fields that still have the value of the last import. Fields that were edited in Lanyard since then keep their values and are
 * reported as local edits.
 */
export async function updateImportedPeople(
  ctx: EventContext,
  state: ImportRunState,
  { sheet, people }: { sheet: string; people: readonly ParsedPerson[] },
  known: ReadonlyMap<string, PreviouslyImportedRow>,
  counts: ImportRunCounts,
): Promise<ImportedSourceRow[]> {
  if (people.length === 0) return []
  const ids = people.map(({ key }) => known.get(key)!.entity_id)
  const rows = new Map((await getParticipants(ctx, ids)).map((row) => [row.id, row]))
  const errors: ImportErrorRow[] = []
  const imported: ImportedSourceRow[] = []
  const updates: { row: ParticipantRow; columns: ReturnType<typeof toColumns> }[] = []
  for (const person of people) {
    const { written, entity_id } = known.get(person.key)!
    const before = written as unknown as WrittenPerson
    const row = rows.get(entity_id)
    const refusal = findRefusal(state, person, before, row)
    if (refusal !== null || row === undefined) {
      errors.push(toErrorRow(sheet, person, refusal ?? 'removed'))
      continue
    }
    const changes = compare(person, before, row)
    counts.localEditCount += changes.edited.length
    counts.localEdits.push(
      ...changes.edited
        .map((field) => ({ sheet, row: person.row, participantId: row.id, field }))
        .slice(0, Math.max(0, MAX_SHOWN_LOCAL_EDITS - counts.localEdits.length)),
    )
    if (!changes.replacesTags && changes.replaced.length === 0) counts.unchanged++
    else {
      counts.updated++
      if (!state.run.dry_run) updates.push({ row, columns: toColumns(person, before, row, changes) })
    }
    imported.push({
      key: person.key,
      hash: hashPersonWithPurchases(state, person),
      written: toWritten(person, before, changes),
      entityId: row.id,
    })
  }
  counts.errors += errors.length
  await saveRowErrors(ctx, state, counts, errors)
  // All updates are started before the first result is awaited, so that the database driver sends them together.
  await Promise.all(updates.map(({ row, columns }) => updateParticipant(ctx, row, columns)))
  const updated = updates.map(({ row }) => row.id)
  if (updated.length > 0) await recalculateTags(ctx, state.rules.config, updated)
  return imported
}

/** The values that the last import wrote for a person: answers by binding (such as `@participant.email`), tags, status and order lines. */
type WrittenPerson = { tags: string[]; status: string; lines: ImportedPurchase[]; invitedTags?: string[] } & Record<string, unknown>

const REFUSALS = {
  status: 'The status differs from the imported one. Change it with edit_participant.',
  amount: 'The purchased products differ from the imported ones. Change them with edit_participant.',
  removed: 'The registration created from this row no longer exists.',
}

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

const toErrorRow = (sheet: string, { row }: ParsedPerson, code: keyof typeof REFUSALS): ImportErrorRow => ({
  sheet,
  row,
  column: code === 'status' ? 'statusText' : 'amountDue',
  value: '',
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
