import { z } from 'zod'
import { toOneLine, list, money, object, oneOf, text, untrustedText } from '../../../kernel/args.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { invalidArguments, notFound, preconditionFailed } from '../../../kernel/errors.ts'
import { toMinorUnits, type Money } from '../../../kernel/money.ts'
import { eventDb } from '../../../kernel/scoped-db.ts'
import { sumLineAmounts } from '../../orders/record-sale.ts'
import { compareBoothNumbers } from '../company-facts.ts'
import { readLiveOrTestConfiguration } from '../context.ts'
import type { BoothRow } from '../floor/booths.ts'
import { assignBooths } from './assign.ts'
import { blockBooth, unblockBooth } from './block.ts'
import { findCompetitorsNearby } from './competitors.ts'
import { type BoothEdit, deleteBooths, addBoothsToPlan, type BoothShapeInput, editBooth } from './edit.ts'
import { holdBooths, releaseBooths } from './hold.ts'
import { getBoothByNumber, getBoothsByNumber, lockCompanies } from './lock.ts'
import { mergeBooths, splitBooth } from './merge.ts'
import { moveBooth, swapBooths } from './move.ts'
import { requireNoOpenOffer } from './offers.ts'
import {
  type BoothSummary,
  Booth,
  type ListedBooth,
  listUnarchivedFloorPlans,
  readBoothsOfPlans,
  toMoneyAmounts,
  toBoothSummary,
} from './read-booths.ts'
import { renumberBooths } from './renumber.ts'
import type { BoothOrderChange } from './sell.ts'
import { vacateBooth } from './vacate.ts'

const WARNINGS = ['competitor', 'no_price', 'already_charged'] as const

export const BoothChangeShape = {
  booths: list(toOneLine(Booth, 'as list_booths'), 500),
  deleted: list(text(), 500).optional(),
  orderChange: toOneLine(
    object({
      lines: list(
        object({
          companyId: text(),
          orderNumber: text(),
          productCode: text().optional(),
          description: text(),
          quantity: z.int(),
          net: money(),
          tax: money(),
          total: money(),
        }),
      ),
      net: money(),
      tax: money(),
      total: money(),
    }),
    'lines[] companyId, orderNumber, productCode, quantity; net, tax, total',
  ).optional(),
  warnings: toOneLine(
    list(object({ code: oneOf(WARNINGS), number: text(), message: text(), company: untrustedText().optional() })),
    'code, number, message, company',
  ),
}

interface ChangedBooths {
  booths: BoothSummary[]
  deleted?: string[]
  orderChange?: ReturnType<typeof toOrderChange>
  warnings: { code: (typeof WARNINGS)[number]; number: string; message: string; company?: string }[]
}

const LISTED_AFTER_CHANGE = 100

/** Returns booths as a tool result after a change, with warnings about the booths in `placed`, which were just assigned. */
async function showChange(
  ctx: EventContext,
  rows: readonly Pick<BoothRow, 'id'>[],
  { orderChanges = [], placed = [] }: { orderChanges?: readonly BoothOrderChange[]; placed?: readonly string[] } = {},
): Promise<ChangedBooths> {
  const ids = new Set(rows.map(({ id }) => id))
  const plans = await eventDb(ctx)
    .selectFrom('booths')
    .select('floor_plan_id')
    .distinct()
    .where('id', 'in', [...ids])
    .execute()
  const all = await readBoothsOfPlans(
    ctx,
    (await listAllPlans(ctx)).filter(({ id }) => plans.some((one) => one.floor_plan_id === id)),
  )
  const changed = all
    .filter(({ row }) => ids.has(row.id))
    .toSorted((a, b) => compareBoothNumbers(a.row.number, b.row.number))
    .slice(0, LISTED_AFTER_CHANGE)
  return {
    booths: changed.map((booth) => toBoothSummary(ctx, booth)),
    ...(orderChanges.length > 0 ? { orderChange: toOrderChange(ctx, orderChanges) } : {}),
    warnings: await listWarnings(ctx, all, placed),
  }
}

const listAllPlans = (ctx: EventContext) => eventDb(ctx).selectFrom('floor_plans').selectAll().execute()

function toOrderChange({ event: { currency } }: EventContext, changes: readonly BoothOrderChange[]) {
  return {
    lines: changes.flatMap(({ companyId, orderNumber, lines }) =>
      lines.map(({ productCode, description, quantity, ...amounts }) => ({
        companyId,
        orderNumber,
        ...(productCode === null ? {} : { productCode }),
        description,
        quantity,
        ...toMoneyAmounts(amounts, currency),
      })),
    ),
    ...toMoneyAmounts(sumLineAmounts(changes), currency),
  }
}

async function listWarnings(ctx: EventContext, all: readonly ListedBooth[], placed: readonly string[]): Promise<ChangedBooths['warnings']> {
  if (placed.length === 0) return []
  const { config } = await readLiveOrTestConfiguration(ctx, false)
  const near = await findCompetitorsNearby(ctx, all, placed, config.exhibitorConfig.competitorDistance)
  return [
    ...near.map(({ number, otherNumber, company, distance, units }) => ({
      code: 'competitor' as const,
      number,
      message: `A competitor has booth ${otherNumber}, ${distance} ${units} from booth ${number}`,
      company,
    })),
    ...all
      .filter(({ row, price }) => placed.includes(row.id) && row.status === 'assigned' && price.lines.length === 0)
      .map(({ row }) => ({
        code: 'no_price' as const,
        number: row.number,
        message: `Booth ${row.number} has no price, so nothing was charged. Set its sizeCode or priceOverride before assigning it`,
      })),
  ]
}

export async function createBoothsOnFloorPlan(
  ctx: EventContext,
  { floorPlanCode, booths }: { floorPlanCode: string; booths: readonly BoothShapeInput[] },
): Promise<ChangedBooths> {
  const ids = await addBoothsToPlan(ctx, floorPlanCode, booths)
  return showChange(
    ctx,
    ids.map((id) => ({ id })),
  )
}

type UpdateInput = Omit<BoothEdit, 'priceOverride'> & { priceOverride?: Money | undefined }

export async function updateBooth(ctx: EventContext, { priceOverride, ...edit }: UpdateInput): Promise<ChangedBooths> {
  const booth = await editBooth(ctx, {
    ...edit,
    ...(priceOverride === undefined ? {} : { priceOverride: toPrice(ctx, priceOverride) }),
  })
  const changed = await showChange(ctx, [booth])
  const affectsPrice =
    priceOverride !== undefined || edit.sizeCode !== undefined || edit.polygon !== undefined || (edit.clear ?? []).length > 0
  if (booth.status !== 'assigned' || !affectsPrice) return changed
  const message = `The company of booth ${booth.number} keeps the price that it was charged`
  return { ...changed, warnings: [...changed.warnings, { code: 'already_charged', number: booth.number, message }] }
}

function toPrice({ event }: EventContext, { amount, currency }: Money): number {
  const path = 'priceOverride'
  if (currency !== event.currency) throw invalidArguments([{ path, message: `must be in ${event.currency}` }])
  const minor = toMinorUnits(amount, currency, path)
  if (minor < 0) throw invalidArguments([{ path, message: 'must be 0 or more' }])
  return minor
}

export async function renumberBoothsOfPlan(ctx: EventContext, input: Parameters<typeof renumberBooths>[1]): Promise<ChangedBooths> {
  await renumberBooths(ctx, input)
  const booths = await readBoothsOfPlans(ctx, await listUnarchivedFloorPlans(ctx, input.floorPlanCode))
  return showChange(
    ctx,
    booths.map(({ row }) => row),
  )
}

export const mergeAdjacentBooths = async (
  ctx: EventContext,
  input: { numbers: readonly string[]; number: string },
): Promise<ChangedBooths> => showChange(ctx, [await mergeBooths(ctx, input)])

export const splitBoothIntoParts = async (ctx: EventContext, input: Parameters<typeof splitBooth>[1]): Promise<ChangedBooths> =>
  showChange(ctx, await splitBooth(ctx, input))

export async function holdBoothForCompany(
  ctx: EventContext,
  { number, companyId, until }: { number: string; companyId: string; until: string },
): Promise<ChangedBooths> {
  const booth = await getBoothByNumber(ctx, number)
  await requireNoOpenOffer(ctx, [booth])
  const rows = await holdBooths(ctx, { boothIds: [booth.id], companyId, until: new Date(until) })
  return showChange(ctx, rows, { placed: [booth.id] })
}

export async function releaseBoothHold(ctx: EventContext, { number }: { number: string }): Promise<ChangedBooths> {
  const booth = await getBoothByNumber(ctx, number)
  if (booth.held_for !== null) await lockCompanies(ctx, [booth.held_for])
  await requireNoOpenOffer(ctx, [booth])
  return showChange(ctx, await releaseBooths(ctx, [booth.id]))
}

interface AssignInput {
  number: string
  companyId: string
  applicationNumber?: string | undefined
}

export async function assignBoothToCompany(
  ctx: EventContext,
  { number, companyId, applicationNumber }: AssignInput,
): Promise<ChangedBooths> {
  const booth = await getBoothByNumber(ctx, number)
  // The company is locked before its booth offers are read, so that no offer ends in the meantime.
  await lockCompanies(ctx, [companyId])
  await requireNoOpenOffer(ctx, [booth])
  const applicationId = applicationNumber === undefined ? undefined : await findApplicationId(ctx, applicationNumber, companyId)
  const { booths, orderChange } = await assignBooths(ctx, { boothIds: [booth.id], companyId, applicationId })
  return showChange(ctx, booths, { orderChanges: orderChange ? [orderChange] : [], placed: [booth.id] })
}

async function findApplicationId(ctx: EventContext, number: string, companyId: string): Promise<string> {
  const row = await eventDb(ctx)
    .selectFrom('booth_applications')
    .select(['id', 'company_id'])
    .where('number', '=', number.toUpperCase())
    .executeTakeFirst()
  if (!row) throw notFound(`No application ${number} at this event. Use list_booth_applications to find it`)
  if (row.company_id !== companyId) throw preconditionFailed(`Application ${number} is of another company`)
  return row.id
}

export async function vacateAssignedBooth(ctx: EventContext, input: { number: string; reason: string }): Promise<ChangedBooths> {
  const { booths, orderChange } = await vacateBooth(ctx, input)
  return showChange(ctx, booths, { orderChanges: orderChange ? [orderChange] : [] })
}

export async function moveCompanyToBooth(ctx: EventContext, input: { fromNumber: string; toNumber: string }): Promise<ChangedBooths> {
  await requireNoOpenOffer(ctx, await getBoothsByNumber(ctx, [input.toNumber]))
  const { booths, orderChanges } = await moveBooth(ctx, input)
  return showChange(ctx, booths, { orderChanges, placed: [booths[1]!.id] })
}

export async function swapBoothsOfCompanies(ctx: EventContext, input: { numberA: string; numberB: string }): Promise<ChangedBooths> {
  const { booths, orderChanges } = await swapBooths(ctx, input)
  return showChange(ctx, booths, { orderChanges, placed: booths.map(({ id }) => id) })
}

export const blockBoothByNumber = async (ctx: EventContext, input: { number: string; reason: string }): Promise<ChangedBooths> =>
  showChange(ctx, [await blockBooth(ctx, input)])

export const unblockBoothByNumber = async (ctx: EventContext, input: { number: string; reason: string }): Promise<ChangedBooths> =>
  showChange(ctx, [await unblockBooth(ctx, input)])

export const deleteBoothsByNumber = async (ctx: EventContext, { numbers }: { numbers: readonly string[] }): Promise<ChangedBooths> => ({
  booths: [],
  deleted: await deleteBooths(ctx, numbers),
  warnings: [],
})
