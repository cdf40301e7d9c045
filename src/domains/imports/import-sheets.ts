import { inSilence } from '../../kernel/announce.ts'
import type { EventContext } from '../../kernel/context.ts'
import { giveWay } from '../../kernel/turns.ts'
import type { SheetRow } from '../sheets/cells.ts'
import { importPayments } from './import-payments.ts'
import { importPeople } from './import-people.ts'
import { type ReadPayment, readOrderLine, readPayment } from './read-payment.ts'
import { keyOf, readPerson, type ReadPerson } from './read-person.ts'
import { noteErrors, type RunState } from './run-state.ts'
import { type ErrorRow, noteRun, type RunCounts } from './runs.ts'
import { EMAIL_FIELD } from './fields.ts'
import type { ProposedSheet } from './propose.ts'
import { cellAt, type JoinField, joinKeys, joinOf, nameAt, planOf, type SheetPlan, textAt } from './sheet-plan.ts'

const BATCH = 500

export interface ImportedSheet extends Pick<ProposedSheet, 'name' | 'kind' | 'columns' | 'rows'> {
  read: () => AsyncIterable<SheetRow> | Iterable<SheetRow>
}

/** Does one batch in a transaction, and keeps what it counted with it. */
export type Perform = (
  batch: (ctx: EventContext) => Promise<{ counts: RunCounts; met: readonly string[] }>,
  at: { sheet: string; row: number },
) => Promise<void>

interface Batch {
  row: number
  people: ReadPerson[]
  payments: ReadPayment[]
  errors: ErrorRow[]
  /** Rows of the batch, and those among them that are wrong or stand twice. */
  rows: number
  faulty: number
  twice: number
  paymentRows: number
  paymentFaults: number
  paymentTwice: number
}

const emptyBatch = (): Batch => ({
  row: 0,
  people: [],
  payments: [],
  errors: [],
  rows: 0,
  faulty: 0,
  twice: 0,
  paymentRows: 0,
  paymentFaults: 0,
  paymentTwice: 0,
})

/**
 * Goes through all rows of all sheets in one order: what was bought, people, payments. Rows are read the same each time, so a run that was
 * stopped reads those again that it wrote before, to know what it has met, and writes from where it was. Returns where an error stopped it.
 */
export async function importSheets(state: RunState, sheets: readonly ImportedSheet[], perform: Perform): Promise<string | null> {
  const { formats } = state.setup.answers
  const people = sheets.find(({ kind }) => kind === 'participants')
  if (!people) return null
  const plan = planOf(people, formats)
  const others = sheets.filter(({ kind }) => kind === 'orderLines' || (kind === 'payments' && state.run.options.withPayments))
  const keyFor = await personKeys(
    plan,
    people,
    others.map((sheet) => joinOf(plan, planOf(sheet, formats))),
  )
  const lineErrors = await readLines(
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
    const own = planOf(sheet, formats)
    const readRow = sheet === people ? personReader(state, plan, seen) : paymentReader(state, own, joinOf(plan, own), keyFor, seen)
    let batch = emptyBatch()
    const flush = async () => {
      const [full, now] = [batch, first]
      batch = emptyBatch()
      const written = skipping
      // What was written before the stop ends exactly where a batch ended.
      if (skipping && done!.sheet === sheet.name && done!.row === full.row) skipping = false
      if (written) return
      first = false
      // What is brought over from elsewhere is no news to anybody.
      await perform(
        (ctx) =>
          inSilence(ctx, (quiet) => writeBatch(quiet, state, sheet.name, full, now && state.run.position === null ? lineErrors : [])),
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
        return `Row ${at} of ${sheet.name} is wrong, and nothing after it was read`
      }
      if (Math.max(batch.rows, batch.paymentRows) === BATCH) await flush()
      await giveWay()
    }
    if (batch.row > 0) await flush()
  }
  return null
}

async function writeBatch(
  ctx: EventContext,
  state: RunState,
  sheet: string,
  batch: Batch,
  before: readonly ErrorRow[],
): Promise<{ counts: RunCounts; met: readonly string[] }> {
  const counts = structuredClone(state.counts)
  counts.rows += batch.rows + before.length
  counts.errors += batch.faulty + before.length
  counts.duplicates += batch.twice
  counts.payments.rows += batch.paymentRows
  counts.payments.errors += batch.paymentFaults
  counts.payments.duplicates += batch.paymentTwice
  await noteErrors(ctx, state, counts, [...before, ...batch.errors])
  const met = await importPeople(ctx, state, { sheet, people: batch.people }, counts)
  await importPayments(ctx, state, batch.payments, counts)
  await noteRun(ctx, state.run.id, { counts, position: { sheet, row: batch.row } })
  return { counts, met }
}

interface Seen {
  people: Set<string>
  payments: Set<string>
}

type RowReader = (row: SheetRow, batch: Batch) => void

function personReader(state: RunState, plan: SheetPlan, seen: Seen): RowReader {
  const paysHere = state.run.options.withPayments && plan.at.has('amountPaid')
  return (row, batch) => {
    batch.rows++
    const read = readPerson(plan, row, state.rules)
    if (!read.ok) {
      batch.faulty++
      batch.errors.push(...read.errors)
      return
    }
    if (seen.people.has(read.value.key)) {
      batch.twice++
      return
    }
    seen.people.add(read.value.key)
    batch.people.push(read.value)
    if (paysHere && (read.value.paid ?? 0) > 0) addPayment(state, plan, row, read.value.key, seen, batch)
  }
}

const paymentReader =
  (state: RunState, plan: SheetPlan, join: JoinField | null, keyFor: KeyFor, seen: Seen): RowReader =>
  (row, batch) =>
    addPayment(state, plan, row, join === null ? null : keyFor(join, plan, row), seen, batch)

function addPayment(state: RunState, plan: SheetPlan, row: SheetRow, personKey: string | null, seen: Seen, batch: Batch): void {
  batch.paymentRows++
  const read = readPayment(plan, row, state.rules, personKey)
  if (!read.ok) {
    batch.paymentFaults++
    batch.errors.push(...read.errors)
    return
  }
  if (seen.payments.has(read.value.key)) batch.paymentTwice++
  else {
    seen.payments.add(read.value.key)
    batch.payments.push(read.value)
  }
}

type KeyFor = (join: JoinField, plan: SheetPlan, row: SheetRow) => string | null

/** By the other system's number people are found at once; for any other way a list is made of the sheet of people first. */
async function personKeys(plan: SheetPlan, people: ImportedSheet, joins: readonly (JoinField | null)[]): Promise<KeyFor> {
  const lists = new Map<JoinField, Map<string, string>>()
  const needed = [...new Set(joins)].filter((join) => join !== null && join !== 'externalId')
  if (needed.length > 0) {
    for (const join of needed) lists.set(join!, new Map())
    for await (const row of people.read()) {
      const { firstName, lastName } = nameAt(plan, row)
      const email = textAt(plan, row, EMAIL_FIELD)
      const key = keyOf({ externalId: textAt(plan, row, 'externalId'), email, firstName, lastName })
      for (const [join, list] of lists) for (const one of joinKeys(join, plan, row)) if (!list.has(one)) list.set(one, key)
      await giveWay()
    }
  }
  return (join, own, row) => {
    if (join === 'externalId') {
      const id = textAt(own, row, 'externalId')
      return id === '' ? null : `id:${id.toLowerCase()}`
    }
    const [best] = joinKeys(join, own, row)
    return best === undefined ? null : (lists.get(join)?.get(best) ?? null)
  }
}

/** Lines of a sheet of their own, kept until their people are read. */
async function readLines(state: RunState, sheets: readonly ImportedSheet[], people: SheetPlan, keyFor: KeyFor): Promise<ErrorRow[]> {
  const errors: ErrorRow[] = []
  for (const sheet of sheets) {
    const plan = planOf(sheet, state.setup.answers.formats)
    const join = joinOf(people, plan)
    for await (const row of sheet.read()) {
      const key = join === null ? null : keyFor(join, plan, row)
      const read = readOrderLine(plan, row, state.rules, key)
      if (!read.ok) errors.push(read.errors[0]!)
      else if (key === null)
        errors.push({
          sheet: plan.name,
          row: row.number,
          column: plan.at.get(join ?? '')?.name ?? '',
          value: String(cellAt(plan, row, join ?? '') ?? ''),
          code: 'orphan',
          message: 'Nobody of the sheet of people has this line.',
        })
      else {
        const { productCode, quantity, total } = read.value
        state.lines.set(key, [...(state.lines.get(key) ?? []), { productCode, quantity, total }])
      }
      await giveWay()
    }
  }
  return errors
}
