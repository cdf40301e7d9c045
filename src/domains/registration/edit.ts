import { recordChange } from '../../kernel/audit.ts'
import type { EventContext } from '../../kernel/context.ts'
import { AppError, conflict, invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import type { Money } from '../../kernel/money.ts'
import { checkRevision } from '../../kernel/revisions.ts'
import type { Reaching } from '../../kernel/tool.ts'
import type { Flow } from '../configuration/schema/event-config.ts'
import { freePlaces, flowKey, sellPlaces } from '../inventory/places.ts'
import { type CreditRule } from '../orders/credits.ts'
import { sell } from '../orders/invoices.ts'
import { minorOf } from '../orders/named-invoices.ts'
import { findOrderOf, lockOrder, type OrderRow } from '../orders/orders.ts'
import type { BillTo } from '../orders/tables.ts'
import { type AskedTaxId, askTaxOffice, withTaxIdStatus } from '../orders/tax-ids.ts'
import { asAnswers } from '../sessions/at-event.ts'
import { liveEnrolments } from '../sessions/enrolments.ts'
import { identityOf } from './add.ts'
import { type Answers, answersOf, columnsOf, readAnswers } from './answers.ts'
import { cancelRegistration } from './cancel.ts'
import { changeCode } from './change-code.ts'
import { changeProducts, type MoneyDone } from './change-products.ts'
import { editedTags } from './edit-tags.ts'
import { feeLine } from './fees.ts'
import { holdingsOf, quantitiesOf } from './holdings.ts'
import { missingFields } from './missing.ts'
import { givenTags, lockOwnGroup } from './own-group.ts'
import type { ParticipantRow } from './participant-shape.ts'
import { openOrderOf, payerOf } from './payer.ts'
import { findTwin, getParticipant, updateParticipant } from './people.ts'
import { reprice } from './reprice.ts'
import { changeRoom, touchesRooms } from './rooms.ts'
import { getFlow, openScene, type Scene } from './scene.ts'
import { changeSessions } from './sessions.ts'
import { submit } from './submit.ts'
import { refreshTags } from './tags.ts'
import { refuseFull } from './waitlist.ts'
import { walkFlow } from '../configuration/flow/walk.ts'

export interface Edit {
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
  /** Among `data`, as `@discount.code`, it may be empty too, which takes it away. */
  discountCode?: string | undefined
  billTo?: BillTo | undefined
  /** What the tax office said of the id in it. */
  askedTaxId?: AskedTaxId | null
  reprice: boolean
  overrideCapacity: boolean
  ifRevision?: number | undefined
}

export interface Edited {
  participant: ParticipantRow
  changed: string[]
  creditNotes: { number: string; total: number }[]
  invoices: { number: string; total: number }[]
  /** Of the order that takes what they buy; null where there is none. */
  before: OrderRow | null
  after: OrderRow | null
  /** What a reinstated person held before and could not be given again. */
  notRestored: readonly string[]
}

/** Changes one registration: answers, tags, flow, products, status. What it costs or gives back is settled in the same transaction. */
export async function editParticipant(ctx: EventContext, row: ParticipantRow, edit: Edit): Promise<Edited> {
  refuseWithoutMoneyRight(ctx, edit)
  checkRevision({ kind: 'The registration of', name: row.id, revision: row.revision }, edit.ifRevision)
  const scene = { ...(await openScene(ctx)), isTest: row.is_test_data }
  const rule = ruleOf(ctx, edit)
  const owner = await payerOf(ctx, row)
  const before = await findOrderOf(ctx, owner)
  const done: Pick<Edited, 'changed' | 'creditNotes' | 'invoices'> & { notRestored: string[] } = {
    changed: [],
    creditNotes: [],
    invoices: [],
    notRestored: [],
  }

  if (edit.status === 'cancelled') {
    if (row.status !== 'cancelled') {
      const { creditNotes } = await cancelRegistration(ctx, scene, row, { rule, reason: edit.reason ?? null, keepGuests: edit.keepGuests })
      done.creditNotes.push(...creditNotes)
      done.changed.push('status')
    }
  } else {
    await change(ctx, scene, row, edit, rule, done)
  }
  const order = await orderFor(ctx, row, edit, before)
  if (order && edit.fee) {
    const line = feeLine(ctx, scene, { fee: edit.fee, taxCode: edit.feeTaxCode ?? null, description: edit.reason ?? 'Fee' })
    const invoice = await sell(ctx, order, [{ ...line, participantId: row.id }], scene)
    if (invoice) done.invoices.push(invoice)
    done.changed.push('fee')
  }
  const participant = await getParticipant(ctx, row.id)
  const after = before ? await lockOrder(ctx, before.id) : await findOrderOf(ctx, await payerOf(ctx, participant))
  return { participant, ...done, before, after }
}

const MONEY_RIGHTS = ['fee', 'reprice'] as const

function refuseWithoutMoneyRight(ctx: EventContext, edit: Edit): void {
  const needs = [...(edit.credit === 'policy' ? [] : ['credit']), ...MONEY_RIGHTS.filter((name) => edit[name])]
  if (needs.length === 0 || ctx.permissions.has('money.write')) return
  throw new AppError('forbidden', `${needs.join(' and ')} need the permission money.write`)
}

function ruleOf(ctx: EventContext, { credit, creditAmount }: Edit): CreditRule {
  if (credit !== 'amount') {
    if (creditAmount) throw invalidArguments([{ path: 'creditAmount', message: 'is for credit: amount' }])
    return { by: credit }
  }
  if (!creditAmount) throw invalidArguments([{ path: 'creditAmount', message: 'is needed with credit: amount' }])
  return { by: 'amount', amount: minorOf(ctx, creditAmount, 'creditAmount') }
}

/** The order that a fee or another address goes to. */
async function orderFor(ctx: EventContext, row: ParticipantRow, { fee, billTo, askedTaxId = null }: Edit, before: OrderRow | null) {
  if (!fee && !billTo) return before
  const order = before ? await lockOrder(ctx, before.id) : await openOrderOf(ctx, row)
  if (!billTo) return order
  const merged = withTaxIdStatus({ ...order.bill_to, ...billTo }, { before: order.bill_to, asked: askedTaxId })
  await setOnOrder(ctx, order, { bill_to: JSON.stringify(merged) })
  recordChange(ctx, { kind: 'order', id: order.id, before: { billTo: order.bill_to }, after: { billTo: merged } })
  return lockOrder(ctx, order.id)
}

const setOnOrder = (ctx: EventContext, { id }: OrderRow, columns: { bill_to: string } | { discount_code: string | null }) =>
  ctx.db
    .updateTable('orders')
    .set(columns)
    .where('tenant_id', '=', ctx.tenantId)
    .where('event_id', '=', ctx.event.id)
    .where('id', '=', id)
    .execute()

/** What they buy later is bought with it too. An order that others share keeps its own. */
async function keepCodeOnOrder(ctx: EventContext, row: ParticipantRow, discountCode: string | null): Promise<void> {
  const order = await findOrderOf(ctx, { participantId: row.id })
  if (!order || order.discount_code === discountCode) return
  await setOnOrder(ctx, await lockOrder(ctx, order.id), { discount_code: discountCode })
  recordChange(ctx, { kind: 'order', id: order.id, before: { discountCode: order.discount_code }, after: { discountCode } })
}

/** Before the edit: whether the buyer's country knows their tax id. */
export const askAboutEdit = async (ctx: Reaching<EventContext>, row: ParticipantRow, billTo: BillTo): Promise<AskedTaxId | null> =>
  askTaxOffice(ctx.taxOffices, billTo, (await findOrderOf(ctx, await payerOf(ctx, row)))?.bill_to)

type Done = Pick<Edited, 'changed' | 'creditNotes' | 'invoices'> & { notRestored: string[] }

function addMoney(done: Done, money: MoneyDone | null): void {
  if (money?.creditNote) done.creditNotes.push(money.creditNote)
  if (money?.invoice) done.invoices.push(money.invoice)
}

async function change(ctx: EventContext, scene: Scene, row: ParticipantRow, edit: Edit, rule: CreditRule, done: Done): Promise<void> {
  if (row.status === 'waitlisted' && edit.status === 'complete') {
    throw preconditionFailed('This registration waits for a place — promote_waitlist_entries gives it one')
  }
  const flow = getFlow(scene, edit.flowSlug ?? row.flow_slug ?? '')
  const group = await lockOwnGroup(ctx, row)
  const lines = await holdingsOf(ctx, [row.id])
  const manualTags = editedTags(scene, row, lines, { add: edit.addTags, remove: edit.removeTags })
  const stored = answersOf(row)
  const read = readAnswers({ config: scene.config, flow, previous: stored }, edit.data ?? {})
  if (read.errors.length > 0) throw invalidArguments(read.errors)
  const held = {
    ...Object.fromEntries([...quantitiesOf(lines)].map(([code, quantity]) => [`@product.${code}`, quantity])),
    ...asAnswers((await liveEnrolments(ctx, row.id)).map(({ sessionId }) => sessionId)),
  }
  const isRegistered = row.status === 'complete'
  const given = edit.discountCode === undefined ? read.answers : { ...read.answers, '@discount.code': edit.discountCode }
  const answers = withoutCleared({ ...stored, ...held, ...given })
  await refuseTwin(ctx, row, answers)

  const finishes = edit.status === 'complete' && row.status !== 'complete'
  if (finishes) {
    const submitted = await submit(ctx, {
      scene,
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
  await refuseNewlyMissing(scene, flow, row, answers, read.answers, givenTags(row, group))
  await moveFlow(ctx, scene, row, flow, edit.overrideCapacity)
  const changesCode = isRegistered && '@discount.code' in given
  const wanted = typeof given['@discount.code'] === 'string' ? given['@discount.code'] : null
  const code = changesCode
    ? await changeCode(ctx, { scene, flow, row, answers, given: givenTags(row, group), wanted, overrideCapacity: edit.overrideCapacity })
    : row.discount_code
  const kept = Object.fromEntries(
    Object.entries(answers).filter(([binding]) => !isRegistered || !/^@(product|discount|session)\./.test(binding)),
  )
  const updated = await updateParticipant(ctx, row, {
    ...clearedColumns(read.answers),
    ...columnsOf(kept),
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
    if (touchesRooms(read.answers)) {
      addMoney(
        done,
        await changeRoom(ctx, updated, { scene, flow, answers, tags: updated.tags, source: 'organizer', overrideClosed: true }),
      )
    }
    const order = () => openOrderOf(ctx, updated)
    if (changesCode) await keepCodeOnOrder(ctx, updated, code)
    const discountCode = changesCode ? code : ((await findOrderOf(ctx, await payerOf(ctx, updated)))?.discount_code ?? null)
    const money = await changeProducts(ctx, {
      scene,
      flow,
      row: updated,
      given: givenTags(updated, group),
      answers,
      lines,
      openOrder: order,
      rule,
      discountCode,
      overrideCapacity: edit.overrideCapacity,
    })
    addMoney(done, money)
    if (money) done.changed.push('products')
    if (await changeSessions(ctx, updated, { scene, flow, answers, mayWait: () => true })) done.changed.push('sessions')
    if (edit.reprice) {
      const again = await reprice(ctx, { scene, row: updated, lines: await holdingsOf(ctx, [row.id]), order: await order(), discountCode })
      addMoney(done, again)
      if (again) done.changed.push('prices')
    }
  }
  await refreshTags(ctx, scene.config, [row.id])
}

const withoutCleared = (answers: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(answers).filter(([, value]) => value !== null))

/** Columns of answers that were given as empty. */
const clearedColumns = (given: Answers) => {
  const {
    custom_field_responses: _custom,
    answers: _answers,
    ...columns
  } = columnsOf(Object.fromEntries(Object.entries(given).filter(([, value]) => value === null)))
  return columns
}

async function refuseTwin(ctx: EventContext, row: ParticipantRow, answers: Answers): Promise<void> {
  if (row.is_test_data) return
  const twin = await findTwin(ctx, { ...identityOf(answers, null), hostId: row.host_id })
  if (twin && twin.id !== row.id) throw conflict(`Another registration has this name and email: ${twin.id}`)
}

/** An edit may leave open what was open before, but not empty what must be answered. */
async function refuseNewlyMissing(
  scene: Scene,
  flow: Flow,
  row: ParticipantRow,
  answers: Answers,
  given: Answers,
  tags: readonly string[],
): Promise<void> {
  if (row.status === 'incomplete') return
  const walk = walkFlow(scene.config, flow, { answers, tags, timezone: scene.timezone, now: scene.at })
  const touchesProducts = Object.keys(given).some((binding) => binding.startsWith('@product.'))
  const open = missingFields(scene.config, walk, { skipRequired: false }).filter(
    ({ path }) => path in given || (touchesProducts && path.startsWith('@product.')),
  )
  if (open.length > 0) throw invalidArguments(open)
}

async function moveFlow(ctx: EventContext, scene: Scene, row: ParticipantRow, flow: Flow, overrideCapacity: boolean): Promise<void> {
  if (row.flow_slug === flow.slug || row.status !== 'complete' || row.is_test_data) return
  const full = await sellPlaces(ctx, { participantId: row.id }, [{ key: flowKey(flow.slug), quantity: 1 }], {
    beyondCapacity: overrideCapacity,
  })
  if (full !== null) throw await refuseFull(ctx, scene.config, full)
  if (row.flow_slug !== null) await freePlaces(ctx, [{ key: flowKey(row.flow_slug), quantity: 1 }])
}
