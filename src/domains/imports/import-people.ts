import { isDeepStrictEqual } from 'node:util'
import type { EventContext } from '../../kernel/context.ts'
import { newId } from '../../kernel/ids.ts'
import { sumMinorUnits } from '../../kernel/money.ts'
import { EVENT_KEY, flowKey, productKey, sellUnits, type InventoryUnits } from '../inventory/units.ts'
import { createOrders, importSales } from '../orders/import-history.ts'
import type { NewLine } from '../orders/lines.ts'
import { answersOf, toAnswerColumns } from '../registration/answers.ts'
import { toBillTo } from '../registration/billing.ts'
import { contactIdFor } from '../contacts/link.ts'
import { getParticipants, generateNumbers, updateParticipant } from '../registration/participant-rows.ts'
import { recalculateTags } from '../registration/tags.ts'
import { saveImportedRows, type ImportedRow, readKnownRows, markRowsSeen, findDuplicates } from './known-rows.ts'
import type { ImportedLine, ReadPerson } from './read-person.ts'
import type { RunState } from './run-state.ts'
import { saveErrors } from './run-state.ts'
import type { ErrorRow, RunCounts } from './runs.ts'

export interface PeopleBatch {
  sheet: string
  /** Each key occurs once; duplicates were counted before. */
  people: readonly ReadPerson[]
}

const MAX_EDITS = 100

/**
 * Imports one batch of people: creates new registrations and updates those that changed in the file. Fields edited here since the last
 * import stay.
 */
export async function importPeople(
  ctx: EventContext,
  state: RunState,
  { sheet, people }: PeopleBatch,
  counts: RunCounts,
): Promise<string[]> {
  const known = await readKnownRows(
    ctx,
    state,
    'participant',
    people.map(({ key }) => key),
  )
  const writtenOf = (person: ReadPerson) => ({ ...person.answers, tags: person.tags, status: person.status, lines: linesOf(state, person) })
  const isNew = people.filter(({ key }) => !known.has(key))
  const changed = people.filter(
    (person) =>
      known.has(person.key) &&
      state.run.options.updateExisting &&
      !known.get(person.key)!.content_hash.equals(hashWithLines(state, person)),
  )
  counts.unchanged += people.length - isNew.length - changed.length

  const norms = await findDuplicates(
    ctx,
    state.isTest,
    isNew.map(({ answers }) => ({
      firstName: String(answers['@participant.firstName']),
      lastName: String(answers['@participant.lastName']),
      email: (answers['@participant.email'] as string | undefined) ?? null,
    })),
  )
  const met = new Set<string>()
  const created = isNew.filter(({ status }, index) => {
    const { known: norm, taken } = norms[index]!
    // A cancelled registration is never a duplicate, and neither is one without an email address.
    if (norm === '' || status === 'cancelled') return true
    if (taken || met.has(norm) || state.planned.has(norm)) return false
    met.add(norm)
    return true
  })
  counts.created += created.length
  counts.duplicates += isNew.length - created.length
  counts.money.ordered += sumMinorUnits(created.flatMap((person) => soldLinesOf(state, person).map(({ total }) => total)))
  const outcome = await updatePeople(ctx, state, sheet, changed, known, counts)
  if (!state.run.dry_run) {
    const ids = await registerPeople(ctx, state, created)
    const kept = created.map((person, index): ImportedRow => ({
      key: person.key,
      hash: hashWithLines(state, person),
      written: writtenOf(person),
      entityId: ids[index]!,
    }))
    await saveImportedRows(ctx, state, 'participant', [...kept, ...outcome])
    const touched = new Set([...kept, ...outcome].map(({ key }) => key))
    await markRowsSeen(
      ctx,
      state,
      'participant',
      people.map(({ key }) => key).filter((key) => known.has(key) && !touched.has(key)),
    )
  } else {
    for (const { key } of [...created, ...people.filter((one) => known.has(one.key))]) state.present.add(key)
  }
  return [...met]
}

const linesOf = ({ lines }: RunState, { key, line }: ReadPerson): readonly ImportedLine[] => lines.get(key) ?? (line ? [line] : [])

/** A cancelled registration has no order lines. */
const soldLinesOf = (state: RunState, person: ReadPerson) => (person.status === 'complete' ? linesOf(state, person) : [])

function hashWithLines(state: RunState, person: ReadPerson): Buffer {
  const own = state.lines.get(person.key)
  return own === undefined ? person.hash : Buffer.concat([person.hash, Buffer.from(JSON.stringify(own))])
}

async function registerPeople(ctx: EventContext, state: RunState, people: readonly ReadPerson[]): Promise<string[]> {
  if (people.length === 0) return []
  const ids = people.map(() => newId())
  const place = {
    tenant_id: ctx.tenantId,
    event_id: ctx.event.id,
    flow_slug: state.flowSlug,
    version_id: state.versionId,
    import_run_id: state.run.id,
  }
  await ctx.db
    .insertInto('participants')
    .values(
      people.map((person, index) => {
        const createdAt = person.createdAt ?? person.completedAt ?? state.now
        const done = person.completedAt ?? createdAt
        const columns = { ...toAnswerColumns(person.answers), status: person.status, is_test_data: state.isTest, source: 'import' as const }
        return {
          ...place,
          ...columns,
          ...contactIdFor(ctx, null, columns),
          id: ids[index]!,
          manual_tags: person.tags,
          created_at: createdAt,
          ...(person.status === 'complete' ? { ...generateNumbers(), completed_at: done } : {}),
          ...(person.status === 'cancelled' ? { completed_at: done, cancelled_at: done } : {}),
        }
      }),
    )
    .execute()
  const buyers = people.flatMap((person, index) => (person.status === 'complete' ? [{ person, id: ids[index]! }] : []))
  await takeCapacity(
    ctx,
    state,
    buyers.map(({ person }) => person),
  )
  const at = ({ completedAt, createdAt }: ReadPerson) => completedAt ?? createdAt ?? state.now
  const orders = await createOrders(
    ctx,
    state.origin,
    buyers.map(({ person, id }) => ({
      participantId: id,
      billTo: toBillTo(person.answers),
      externalNumber: person.orderRef,
      createdAt: at(person),
    })),
  )
  const orderOf = new Map(orders.map((order) => [order.participant_id, order]))
  const sales = buyers.flatMap(({ person, id }) => {
    const lines = soldLinesOf(state, person).map((line) => toOrderLine(state, line, id, at(person)))
    return lines.length === 0 ? [] : [{ order: orderOf.get(id)!, lines, terms: { ...state.terms, at: at(person) } }]
  })
  await importSales(ctx, state.origin, sales)
  await recalculateTags(ctx, state.rules.config, ids)
  return ids
}

/** The total of the file counts as net, because its tax share is unknown. */
export function toOrderLine({ rules }: RunState, { productCode, quantity, total }: ImportedLine, participantId: string, at: Date): NewLine {
  const product = rules.config.products.find(({ code }) => code === productCode)
  return {
    kind: 'sale',
    productCode,
    description: product?.name ?? productCode,
    quantity,
    unitPrice: Math.round(total / quantity),
    listAmount: total,
    discount: 0,
    net: total,
    tax: 0,
    total,
    taxCode: null,
    taxRate: '0',
    taxInclusive: false,
    taxComponents: [],
    taxNote: null,
    participantId,
    pricedAt: at,
  }
}

/** Imported registrations count towards capacity but are never rejected because of it. */
async function takeCapacity(ctx: EventContext, state: RunState, people: readonly ReadPerson[]): Promise<void> {
  if (state.isTest || people.length === 0) return
  const wanted: InventoryUnits[] = [EVENT_KEY, flowKey(state.flowSlug)].map((key) => ({ key, quantity: people.length }))
  const products = people
    .flatMap((person) => soldLinesOf(state, person))
    .map(({ productCode, quantity }) => ({ key: productKey(productCode), quantity }))
  await sellUnits(ctx, { participantId: '' }, [...wanted, ...products], { beyondCapacity: true })
}

/** Updates fields that still have the value of the last import. Fields edited here since then stay and are reported as local edits. */
async function updatePeople(
  ctx: EventContext,
  state: RunState,
  sheet: string,
  people: readonly ReadPerson[],
  known: Awaited<ReturnType<typeof readKnownRows>>,
  counts: RunCounts,
): Promise<ImportedRow[]> {
  if (people.length === 0) return []
  const rows = new Map(
    (
      await getParticipants(
        ctx,
        people.map(({ key }) => known.get(key)!.entity_id),
      )
    ).map((row) => [row.id, row]),
  )
  const errors: ErrorRow[] = []
  const kept: ImportedRow[] = []
  const moved: string[] = []
  for (const person of people) {
    const { written, entity_id } = known.get(person.key)!
    const row = rows.get(entity_id)
    const { tags, status, lines, ...before } = written as { tags: string[]; status: string; lines: ImportedLine[] } & Record<string, unknown>
    const refused =
      row === undefined
        ? 'removed'
        : status !== person.status
          ? 'status'
          : isDeepStrictEqual(lines, linesOf(state, person))
            ? null
            : 'amount'
    if (refused !== null || row === undefined) {
      errors.push({
        sheet,
        row: person.row,
        column: refused === 'status' ? 'statusText' : 'amountDue',
        value: '',
        code: refused ?? 'removed',
        message: UPDATE_REFUSALS[refused ?? 'removed']!,
      })
      continue
    }
    const now = answersOf(row)
    const fields = [...new Set([...Object.keys(before), ...Object.keys(person.answers)])]
    const differing = fields.filter((field) => !isDeepStrictEqual(before[field], person.answers[field]))
    const edited = differing.filter(
      (field) => !isDeepStrictEqual(now[field], before[field]) && !isDeepStrictEqual(now[field], person.answers[field]),
    )
    const taken = differing.filter((field) => !edited.includes(field))
    const tagsEdited = !isDeepStrictEqual(row.manual_tags.toSorted(), tags.toSorted())
    const tagsMoved = !isDeepStrictEqual(tags, person.tags) && !tagsEdited
    counts.localEditCount += edited.length
    counts.localEdits.push(
      ...edited
        .map((field) => ({ sheet, row: person.row, participantId: row.id, field }))
        .slice(0, Math.max(0, MAX_EDITS - counts.localEdits.length)),
    )
    if (taken.length > 0 || tagsMoved) {
      counts.updated++
      if (!state.run.dry_run) {
        const answers = { ...now, ...Object.fromEntries(taken.map((field) => [field, person.answers[field] ?? null])) }
        await updateParticipant(ctx, row, { ...toAnswerColumns(answers), ...(tagsMoved ? { manual_tags: person.tags } : {}) })
        moved.push(row.id)
      }
    } else counts.unchanged++
    const kepts = Object.fromEntries(edited.flatMap((field) => (before[field] === undefined ? [] : [[field, before[field]]])))
    const fresh = Object.fromEntries(Object.entries(person.answers).filter(([field]) => !edited.includes(field)))
    kept.push({
      key: person.key,
      hash: hashWithLines(state, person),
      written: { ...fresh, ...kepts, tags: tagsMoved ? person.tags : tags, status, lines },
      entityId: row.id,
    })
  }
  counts.errors += errors.length
  await saveErrors(ctx, state, counts, errors)
  if (moved.length > 0) await recalculateTags(ctx, state.rules.config, moved)
  return kept
}

const UPDATE_REFUSALS: Record<string, string> = {
  status: 'The status differs from the imported one. Change it with edit_participant.',
  amount: 'The purchased products differ from the imported ones. Change them with edit_participant.',
  removed: 'The registration created from this row no longer exists.',
}
