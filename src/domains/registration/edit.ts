import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { AppError, conflict, invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import type { Money } from '../../kernel/money.ts'
import { checkRevision } from '../../kernel/revisions.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { PrefetchContext } from '../../kernel/tool.ts'
import type { Flow } from '../configuration/schema/event-config.ts'
import { returnUnits, flowKey, sellUnits } from '../inventory/units.ts'
import { type CreditRule } from '../orders/credits.ts'
import { sellLines } from '../orders/invoices.ts'
import { toPositiveMinorUnits } from '../orders/named-invoices.ts'
import { findOrder, lockOrder, type OrderRow } from '../orders/orders.ts'
import type { BillTo } from '../orders/tables.ts'
import { type TaxOfficeAnswer, queryTaxOffice, withTaxIdStatus } from '../orders/tax-ids.ts'
import { toSessionAnswers } from '../sessions/context.ts'
import { listLiveEnrolments } from '../sessions/enrolments.ts'
import { toIdentity } from './add.ts'
import { type Answers, answersOf, toAnswerColumns, readAnswers } from './answers.ts'
import { cancelRegistration } from './cancel.ts'
import { changeDiscountCode } from './change-discount-code.ts'
import { changeProducts, type IssuedDocuments } from './change-products.ts'
import { applyTagChanges } from './edit-tags.ts'
import { buildFeeLine } from './fees.ts'
import { listHoldings, quantitiesByProduct } from './holdings.ts'
import { listMissingFields } from './missing-fields.ts'
import { collectGivenTags, lockGroupOf } from './participant-group.ts'
import type { ParticipantRow } from './participant-shape.ts'
import { openPayerOrder, getPayer } from './payer.ts'
import { findDuplicate, getParticipant, updateParticipant } from './participant-rows.ts'
import { reprice } from './reprice.ts'
import { changeRoom, hasRoomAnswers } from './rooms.ts'
import { getFlow, loadEventSnapshot, type EventSnapshot } from './event-snapshot.ts'
import { changeSessions } from './sessions.ts'
import { submitRegistration } from './submit.ts'
import { recalculateTags } from './tags.ts'
import { buildSoldOutError } from './waitlist.ts'
import { walkFlow } from '../configuration/flow/walk.ts'

export interface ParticipantEdit {
  data?: Answers | undefined
  addTags?: readonly string[] | undefined
  removeTags?: readonly string[] | undefined
  status?: 'complete' | 'cancelled' | undefined
  flowSlug?: string | undefined
  credit: 'policy' | 'full' | 'none' | 'amount'
  creditAmount?: Money | undefined
  fee?: Money | undefined
  feeTaxCode?: string | undefined
  reason?: string | undefined
  keepGuests: boolean
  /** `@discount.code` in `data` sets the discount code too; an empty value there removes it. */
  discountCode?: string | undefined
  billTo?: BillTo | undefined
  /** The result of checking the tax ID in `billTo` with the tax office. */
  askedTaxId?: TaxOfficeAnswer | null
  reprice: boolean
  overrideCapacity: boolean
  ifRevision?: number | undefined
}

export interface ParticipantEditResult {
  participant: ParticipantRow
  changed: string[]
  creditNotes: { number: string; total: number }[]
  invoices: { number: string; total: number }[]
  /** The order that the participant's purchases go to, or null if there is none. */
  before: OrderRow | null
  after: OrderRow | null
  /** Products and sessions of a reinstated registration that are sold out and could not be restored. */
  notRestored: readonly string[]
}

/** Changes one registration: answers, tags, flow, products, status. Sales and credits happen in the same transaction. */
export async function editParticipant(ctx: EventContext, row: ParticipantRow, edit: ParticipantEdit): Promise<ParticipantEditResult> {
  assertMoneyPermission(ctx, edit)
  checkRevision({ kind: 'The registration of', name: row.id, revision: row.revision }, edit.ifRevision)
  const snapshot = { ...(await loadEventSnapshot(ctx)), isTest: row.is_test_data }
  const rule = toCreditRule(ctx, edit)
  const owner = await getPayer(ctx, row)
  const before = await findOrder(ctx, owner)
  const done: Pick<ParticipantEditResult, 'changed' | 'creditNotes' | 'invoices'> & { notRestored: string[] } = {
    changed: [],
    creditNotes: [],
    invoices: [],
    notRestored: [],
  }

  if (edit.status === 'cancelled') {
    if (row.status !== 'cancelled') {
      const { creditNotes } = await cancelRegistration(ctx, snapshot, row, { rule, reason: edit.reason ?? null, keepGuests: edit.keepGuests })
      done.creditNotes.push(...creditNotes)
      done.changed.push('status')
    }
  } else {
    await applyEdit(ctx, snapshot, row, edit, rule, done)
  }
  const order = await updateOrderForEdit(ctx, row, edit, before)
  if (order && edit.fee) {
    const line = buildFeeLine(ctx, snapshot, { fee: edit.fee, taxCode: edit.feeTaxCode ?? null, description: edit.reason ?? 'Fee' })
    const invoice = await sellLines(ctx, order, [{ ...line, participantId: row.id }], snapshot)
    if (invoice) done.invoices.push(invoice)
    done.changed.push('fee')
  }
  const participant = await getParticipant(ctx, row.id)
  const after = before ? await lockOrder(ctx, before.id) : await findOrder(ctx, await getPayer(ctx, participant))
  return { participant, ...done, before, after }
}

const MONEY_FIELDS = ['fee', 'reprice'] as const

function assertMoneyPermission(ctx: EventContext, edit: ParticipantEdit): void {
  const needs = [...(edit.credit === 'policy' ? [] : ['credit']), ...MONEY_FIELDS.filter((name) => edit[name])]
  if (needs.length === 0 || ctx.permissions.has('money.write')) return
  throw new AppError('forbidden', `${needs.join(' and ')} need the permission money.write`)
}

function toCreditRule(ctx: EventContext, { credit, creditAmount }: ParticipantEdit): CreditRule {
  if (credit !== 'amount') {
    if (creditAmount) throw invalidArguments([{ path: 'creditAmount', message: 'is only allowed with credit: amount' }])
    return { by: credit }
  }
  if (!creditAmount) throw invalidArguments([{ path: 'creditAmount', message: 'is required with credit: amount' }])
  return { by: 'amount', amount: toPositiveMinorUnits(ctx, creditAmount, 'creditAmount') }
}

/** The order that gets the fee or the new billing address. */
async function updateOrderForEdit(ctx: EventContext, row: ParticipantRow, { fee, billTo, askedTaxId = null }: ParticipantEdit, before: OrderRow | null) {
  if (!fee && !billTo) return before
  const order = before ? await lockOrder(ctx, before.id) : await openPayerOrder(ctx, row)
  if (!billTo) return order
  const merged = withTaxIdStatus({ ...order.bill_to, ...billTo }, { before: order.bill_to, asked: askedTaxId })
  await updateOrder(ctx, order, { bill_to: JSON.stringify(merged) })
  recordChange(ctx, { kind: 'order', id: order.id, before: { billTo: order.bill_to }, after: { billTo: merged } })
  return lockOrder(ctx, order.id)
}

const updateOrder = (ctx: EventContext, { id }: OrderRow, columns: { bill_to: string } | { discount_code: string | null }) =>
  eventDb(ctx)
    .updateTable('orders')
    .set(columns)
    .where('id', '=', id)
    .execute()

/** Later purchases get the same discount. The order of a group is shared, so its code does not change. */
async function saveDiscountCodeOnOrder(ctx: EventContext, row: ParticipantRow, discountCode: string | null): Promise<void> {
  const order = await findOrder(ctx, { participantId: row.id })
  if (!order || order.discount_code === discountCode) return
  await updateOrder(ctx, await lockOrder(ctx, order.id), { discount_code: discountCode })
  recordChange(ctx, { kind: 'order', id: order.id, before: { discountCode: order.discount_code }, after: { discountCode } })
}

/** Checks the buyer's tax ID with the tax office of their country, before the transaction of the edit. */
export const checkEditedTaxId = async (ctx: PrefetchContext<EventContext>, row: ParticipantRow, billTo: BillTo): Promise<TaxOfficeAnswer | null> =>
  queryTaxOffice(ctx.taxNumberVerifier, billTo, (await findOrder(ctx, await getPayer(ctx, row)))?.bill_to)

type EditOutcome = Pick<ParticipantEditResult, 'changed' | 'creditNotes' | 'invoices'> & { notRestored: string[] }

function collectDocuments(done: EditOutcome, money: IssuedDocuments | null): void {
  if (money?.creditNote) done.creditNotes.push(money.creditNote)
  if (money?.invoice) done.invoices.push(money.invoice)
}

async function applyEdit(ctx: EventContext, snapshot: EventSnapshot, row: ParticipantRow, edit: ParticipantEdit, rule: CreditRule, done: EditOutcome): Promise<void> {
  if (row.status === 'waitlisted' && edit.status === 'complete') {
    throw preconditionFailed('This registration is on a waiting list. Use promote_waitlist_entries to give it a spot.')
  }
  const flow = getFlow(snapshot, edit.flowSlug ?? row.flow_slug ?? '')
  const group = await lockGroupOf(ctx, row)
  const lines = await listHoldings(ctx, [row.id])
  const manualTags = applyTagChanges(snapshot, row, lines, { add: edit.addTags, remove: edit.removeTags })
  const stored = answersOf(row)
  const read = readAnswers({ config: snapshot.config, flow, previous: stored }, edit.data ?? {})
  if (read.errors.length > 0) throw invalidArguments(read.errors)
  const held = {
    ...Object.fromEntries([...quantitiesByProduct(lines)].map(([code, quantity]) => [`@product.${code}`, quantity])),
    ...toSessionAnswers((await listLiveEnrolments(ctx, row.id)).map(({ sessionId }) => sessionId)),
  }
  const isRegistered = row.status === 'complete'
  const given = edit.discountCode === undefined ? read.answers : { ...read.answers, '@discount.code': edit.discountCode }
  const answers = dropCleared({ ...stored, ...held, ...given })
  await assertNoDuplicate(ctx, row, answers)

  const finishes = edit.status === 'complete' && row.status !== 'complete'
  if (finishes) {
    const submitted = await submitRegistration(ctx, {
      snapshot,
      flow,
      answers,
      manualTags,
      directoryTags: row.directory_tags,
      source: row.source,
      participant: row,
      group,
      overrideClosed: true,
      overrideCapacity: edit.overrideCapacity,
      dropFull: row.status === 'cancelled',
    })
    if (submitted.invoice) done.invoices.push(submitted.invoice)
    done.notRestored.push(...submitted.dropped)
    done.changed.push('status')
    return
  }
  await assertNothingNewlyMissing(snapshot, flow, row, answers, read.answers, collectGivenTags(row, group))
  await moveToFlow(ctx, snapshot, row, flow, edit.overrideCapacity)
  const changesCode = isRegistered && '@discount.code' in given
  const wanted = typeof given['@discount.code'] === 'string' ? given['@discount.code'] : null
  const code = changesCode
    ? await changeDiscountCode(ctx, { snapshot, flow, row, answers, given: collectGivenTags(row, group), wanted, overrideCapacity: edit.overrideCapacity })
    : row.discount_code
  const storedAnswers = Object.fromEntries(
    Object.entries(answers).filter(([binding]) => !isRegistered || !/^@(product|discount|session)\./.test(binding)),
  )
  const updated = await updateParticipant(ctx, row, {
    ...clearedColumns(read.answers),
    ...toAnswerColumns(storedAnswers),
    manual_tags: manualTags,
    flow_slug: flow.slug,
    discount_code: code,
  })
  done.changed.push(
    ...recordChange(ctx, {
      kind: 'participant',
      id: row.id,
      before: { ...stored, manualTags: row.manual_tags, flowSlug: row.flow_slug, discountCode: row.discount_code },
      after: { ...answersOf(updated), manualTags: updated.manual_tags, flowSlug: updated.flow_slug, discountCode: code },
    }),
  )
  if (isRegistered) {
    if (hasRoomAnswers(read.answers)) {
      collectDocuments(
        done,
        await changeRoom(ctx, updated, { snapshot, flow, answers, tags: updated.tags, source: 'organizer', overrideClosed: true }),
      )
    }
    const order = () => openPayerOrder(ctx, updated)
    if (changesCode) await saveDiscountCodeOnOrder(ctx, updated, code)
    const discountCode = changesCode ? code : ((await findOrder(ctx, await getPayer(ctx, updated)))?.discount_code ?? null)
    const money = await changeProducts(ctx, {
      snapshot,
      flow,
      row: updated,
      given: collectGivenTags(updated, group),
      answers,
      lines,
      openOrder: order,
      rule,
      discountCode,
      overrideCapacity: edit.overrideCapacity,
    })
    collectDocuments(done, money)
    if (money) done.changed.push('products')
    if (await changeSessions(ctx, updated, { snapshot, flow, answers, mayWait: () => true })) done.changed.push('sessions')
    if (edit.reprice) {
      const again = await reprice(ctx, { snapshot, row: updated, lines: await listHoldings(ctx, [row.id]), order: await order(), discountCode })
      collectDocuments(done, again)
      if (again) done.changed.push('prices')
    }
  }
  await recalculateTags(ctx, snapshot.config, [row.id])
}

const dropCleared = (answers: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(answers).filter(([, value]) => value !== null))

/** The columns of answers that the edit clears. */
const clearedColumns = (given: Answers) => {
  const {
    custom_field_responses: _custom,
    answers: _answers,
    ...columns
  } = toAnswerColumns(Object.fromEntries(Object.entries(given).filter(([, value]) => value === null)))
  return columns
}

async function assertNoDuplicate(ctx: EventContext, row: ParticipantRow, answers: Answers): Promise<void> {
  if (row.is_test_data) return
  const twin = await findDuplicate(ctx, { ...toIdentity(answers, null), hostId: row.host_id })
  if (twin && twin.id !== row.id) throw conflict(`Another registration has this name and email: ${twin.id}`)
}

/** An edit may leave required answers missing that were missing before, but it must not clear a required answer. */
async function assertNothingNewlyMissing(
  snapshot: EventSnapshot,
  flow: Flow,
  row: ParticipantRow,
  answers: Answers,
  given: Answers,
  tags: readonly string[],
): Promise<void> {
  if (row.status === 'incomplete') return
  const walk = walkFlow(snapshot.config, flow, { answers, tags, timezone: snapshot.timezone, now: snapshot.at })
  const touchesProducts = Object.keys(given).some((binding) => binding.startsWith('@product.'))
  const open = listMissingFields(snapshot.config, walk, { skipRequired: false }).filter(
    ({ path }) => path in given || (touchesProducts && path.startsWith('@product.')),
  )
  if (open.length > 0) throw invalidArguments(open)
}

async function moveToFlow(ctx: EventContext, snapshot: EventSnapshot, row: ParticipantRow, flow: Flow, overrideCapacity: boolean): Promise<void> {
  if (row.flow_slug === flow.slug || row.status !== 'complete' || row.is_test_data) return
  const full = await sellUnits(ctx, { participantId: row.id }, [{ key: flowKey(flow.slug), quantity: 1 }], {
    beyondCapacity: overrideCapacity,
  })
  if (full !== null) throw await buildSoldOutError(ctx, snapshot.config, full)
  if (row.flow_slug !== null) await returnUnits(ctx, [{ key: flowKey(row.flow_slug), quantity: 1 }])
}
