import { runWithoutWebhooks } from '../../kernel/announce.ts'
import type { EventContext } from '../../kernel/context.ts'
import { yieldToEventLoop } from '../../kernel/cooperative.ts'
import { type InventoryQuantity, sellUnits } from '../inventory/units.ts'
import type { OrderRow } from '../orders/orders.ts'
import type { SheetRow } from '../sheets/cells.ts'
import { listStockUsedByPaymentImport, lockOrdersOfPayers, planPaymentImport, writeOrdersAndPayments } from './import-payments.ts'
import { planPeopleImport, importPlannedPeople } from './import-people.ts'
import { type ParsedPayment, readMissingPayment, readOrderLine, readPaymentRow } from './read-payment.ts'
import { toPersonSourceKey, readPersonRow, type ParsedPerson } from './read-person.ts'
import { listCapacityUsedByNewPeople } from './register-people.ts'
import { saveRowErrors, type ImportRunState, type PlannedIdentities } from './run-state.ts'
import { type ImportErrorRow, updateImportRun, type ImportRunCounts } from './runs.ts'
import { PERSON_EMAIL_FIELD } from './fields.ts'
import type { ProposedSheet } from './propose.ts'
import {
  readCell,
  type SheetJoinField,
  listSheetJoinKeys,
  findSheetJoinField,
  readPersonName,
  buildSheetReadingPlan,
  type SheetReadingPlan,
  readCellText,
} from './sheet-plan.ts'

const ROWS_PER_BATCH = 500

export interface ImportedSheet extends Pick<ProposedSheet, 'name' | 'kind' | 'columns' | 'rows'> {
  read: () => AsyncIterable<SheetRow> | Iterable<SheetRow>
}

interface WrittenBatch {
  counts: ImportRunCounts
  identities: PlannedIdentities
}

/** Runs one batch in a transaction, which also commits the counts so far and the position of the last imported row. */
export type RunImportBatchFunction = (
  batch: (ctx: EventContext) => Promise<WrittenBatch>,
  at: { sheet: string; row: number },
) => Promise<void>

interface Batch {
  row: number
  people: ParsedPerson[]
  payments: ParsedPayment[]
  errors: ImportErrorRow[]
  /** The number of rows in the batch, and how many of them are invalid or duplicates. */
  rows: number
  invalid: number
  duplicates: number
  paymentRows: number
  invalidPayments: number
  duplicatePayments: number
}

const emptyBatch = (): Batch => ({
  row: 0,
  people: [],
  payments: [],
  errors: [],
  rows: 0,
  invalid: 0,
  duplicates: 0,
  paymentRows: 0,
  invalidPayments: 0,
  duplicatePayments: 0,
})

/**
 * Reads all rows in a fixed sequence: order lines, people, payments. A resumed run reads the rows it has committed again, to detect
 * duplicates, and writes only later rows. Returns a message if an error in a row stopped the run.
 */
export async function importSheets(
  state: ImportRunState,
  sheets: readonly ImportedSheet[],
  perform: RunImportBatchFunction,
): Promise<string | null> {
  const { formats } = state.setup.answers
  const people = sheets.find(({ kind }) => kind === 'participants')
  if (!people) return null
  const plan = buildSheetReadingPlan(people, formats)
  const others = sheets.filter(({ kind }) => kind === 'orderLines' || (kind === 'payments' && state.run.options.withPayments))
  const keyFor = await createPersonKeyLookup(
    plan,
    people,
    others.map((sheet) => findSheetJoinField(plan, buildSheetReadingPlan(sheet, formats))),
  )
  const lineErrors = await readOrderLines(
    state,
    others.filter(({ kind }) => kind === 'orderLines'),
    plan,
    keyFor,
  )
  const seen = { people: new Set<string>(), payments: new Set<string>() }
  const inOrder = [people, ...others.filter(({ kind }) => kind === 'payments')]
  const done = state.run.position
  let skipping = done !== null
  let first = true
  for (const sheet of inOrder) {
    const own = buildSheetReadingPlan(sheet, formats)
    const readRow =
      sheet === people ? personReader(state, plan, seen) : paymentReader(state, own, findSheetJoinField(plan, own), keyFor, seen)
    let batch = emptyBatch()
    const flush = async () => {
      const [full, now] = [batch, first]
      batch = emptyBatch()
      const written = skipping
      // A resumed run skips the rows up to its saved position, which is always the last row of a batch.
      if (skipping && done!.sheet === sheet.name && done!.row === full.row) skipping = false
      if (written) return
      first = false
      // No emails or webhooks are sent about imported records.
      await perform(
        (ctx) =>
          runWithoutWebhooks(ctx, (quiet) =>
            writeBatch(quiet, state, sheet.name, full, now && state.run.position === null ? lineErrors : []),
          ),
        {
          sheet: sheet.name,
          row: full.row,
        },
      )
    }
    for await (const row of sheet.read()) {
      readRow(row, batch)
      batch.row = row.number
      if (state.run.options.onRowError === 'stop' && batch.errors.length > 0) {
        const { row: at } = batch
        await flush()
        return `Row ${at} of ${sheet.name} has an error. The rows after it were not imported.`
      }
      if (Math.max(batch.rows, batch.paymentRows) === ROWS_PER_BATCH) await flush()
      await yieldToEventLoop()
    }
    if (batch.row > 0) await flush()
  }
  return null
}

async function writeBatch(
  ctx: EventContext,
  state: ImportRunState,
  sheet: string,
  batch: Batch,
  before: readonly ImportErrorRow[],
): Promise<WrittenBatch> {
  const counts = structuredClone(state.counts)
  counts.rows += batch.rows + before.length
  counts.errors += batch.invalid + before.length
  counts.duplicates += batch.duplicates
  counts.payments.rows += batch.paymentRows
  counts.payments.errors += batch.invalidPayments
  counts.payments.duplicates += batch.duplicatePayments
  const people = await planPeopleImport(ctx, state, { sheet, people: batch.people }, counts)
  const payments = await planPaymentImport(ctx, state, batch.payments, people, counts)
  let locked: OrderRow[] = []
  if (!state.run.dry_run) {
    // Capacity is locked first, then orders, then participants and contacts, as in every other database transaction.
    await takeCapacity(ctx, state, [
      ...listCapacityUsedByNewPeople(state, people.created),
      ...listStockUsedByPaymentImport(state, payments),
    ])
    locked = await lockOrdersOfPayers(ctx, payments)
  }
  await saveRowErrors(ctx, state, counts, [...before, ...batch.errors, ...people.update.errors, ...payments.errors])
  const created = await importPlannedPeople(ctx, state, people)
  if (!state.run.dry_run) await writeOrdersAndPayments(ctx, state, payments, { created, locked })
  await updateImportRun(ctx, state.run.id, { counts, position: { sheet, row: batch.row } })
  return { counts, identities: people.identities }
}

async function takeCapacity(ctx: EventContext, { isTest }: ImportRunState, units: readonly InventoryQuantity[]): Promise<void> {
  if (!isTest && units.length > 0) await sellUnits(ctx, { participantId: '' }, units, { beyondCapacity: true })
}

interface SeenKeys {
  people: Set<string>
  payments: Set<string>
}

type RowReader = (row: SheetRow, batch: Batch) => void

function personReader(state: ImportRunState, plan: SheetReadingPlan, seen: SeenKeys): RowReader {
  const paysHere = state.run.options.withPayments && plan.at.has('amountPaid')
  return (row, batch) => {
    batch.rows++
    const read = readPersonRow(plan, row, state.rules)
    if (!read.ok) {
      batch.invalid++
      batch.errors.push(...read.errors)
      return
    }
    if (seen.people.has(read.value.key)) {
      batch.duplicates++
      return
    }
    seen.people.add(read.value.key)
    batch.people.push(read.value)
    if (!paysHere) return
    const personKey = read.value.key
    if ((read.value.paid ?? 0) === 0) batch.payments.push(readMissingPayment(plan, row, state.rules, personKey))
    else addPayment(state, plan, row, { personKey, inPersonRow: true }, seen, batch)
  }
}

const paymentReader =
  (state: ImportRunState, plan: SheetReadingPlan, join: SheetJoinField | null, keyFor: FindPersonKey, seen: SeenKeys): RowReader =>
  (row, batch) =>
    addPayment(state, plan, row, { personKey: join === null ? null : keyFor(join, plan, row), inPersonRow: false }, seen, batch)

function addPayment(
  state: ImportRunState,
  plan: SheetReadingPlan,
  row: SheetRow,
  payer: Pick<ParsedPayment, 'personKey' | 'inPersonRow'>,
  seen: SeenKeys,
  batch: Batch,
): void {
  batch.paymentRows++
  const read = readPaymentRow(plan, row, state.rules, payer)
  if (!read.ok) {
    batch.invalidPayments++
    batch.errors.push(...read.errors)
    return
  }
  if (seen.payments.has(read.value.key)) batch.duplicatePayments++
  else {
    seen.payments.add(read.value.key)
    batch.payments.push(read.value)
  }
}

type FindPersonKey = (join: SheetJoinField, plan: SheetReadingPlan, row: SheetRow) => string | null

/**
 * Finds the person that a row of another sheet belongs to. Rows that are joined by externalId need no index of people; for other fields,
 * the people sheet is indexed first.
 */
async function createPersonKeyLookup(
  plan: SheetReadingPlan,
  people: ImportedSheet,
  joins: readonly (SheetJoinField | null)[],
): Promise<FindPersonKey> {
  const lists = new Map<SheetJoinField, Map<string, string>>()
  const needed = [...new Set(joins)].filter((join) => join !== null && join !== 'externalId')
  if (needed.length > 0) {
    for (const join of needed) lists.set(join!, new Map())
    for await (const row of people.read()) {
      const { firstName, lastName } = readPersonName(plan, row)
      const email = readCellText(plan, row, PERSON_EMAIL_FIELD)
      const key = toPersonSourceKey({ externalId: readCellText(plan, row, 'externalId'), email, firstName, lastName })
      for (const [join, list] of lists) for (const one of listSheetJoinKeys(join, plan, row)) if (!list.has(one)) list.set(one, key)
      await yieldToEventLoop()
    }
  }
  return (join, own, row) => {
    if (join === 'externalId') {
      const id = readCellText(own, row, 'externalId')
      return id === '' ? null : `id:${id.toLowerCase()}`
    }
    const [best] = listSheetJoinKeys(join, own, row)
    return best === undefined ? null : (lists.get(join)?.get(best) ?? null)
  }
}

/** Reads the order lines of separate sheets, which are imported later together with the people they belong to. */
async function readOrderLines(
  state: ImportRunState,
  sheets: readonly ImportedSheet[],
  people: SheetReadingPlan,
  keyFor: FindPersonKey,
): Promise<ImportErrorRow[]> {
  const errors: ImportErrorRow[] = []
  for (const sheet of sheets) {
    const plan = buildSheetReadingPlan(sheet, state.setup.answers.formats)
    const join = findSheetJoinField(people, plan)
    for await (const row of sheet.read()) {
      const key = join === null ? null : keyFor(join, plan, row)
      const read = readOrderLine(plan, row, state.rules, key)
      if (!read.ok) errors.push(read.errors[0]!)
      else if (key === null)
        errors.push({
          sheet: plan.name,
          row: row.number,
          column: plan.at.get(join ?? '')?.name ?? '',
          value: String(readCell(plan, row, join ?? '') ?? ''),
          code: 'orphan',
          message: 'No person in the people sheet matches this line.',
        })
      else {
        const { productCode, quantity, total } = read.value
        state.lines.set(key, [...(state.lines.get(key) ?? []), { productCode, quantity, total }])
      }
      await yieldToEventLoop()
    }
  }
  return errors
}
