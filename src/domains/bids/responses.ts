import { type RawBuilder, sql } from 'kysely'
import { notFound, preconditionFailed } from '../../kernel/errors.ts'
import { eventDb, joinRowsOfSameEvent } from '../../kernel/scoped-db.ts'
import { toDayInZone, formatInstant } from '../../kernel/time.ts'
import type { DateOption, RoomsNeededOnNight } from '../briefs/answers.ts'
import type { HousingContext } from '../housing/context.ts'
import type { RecipientRow, RfpRow } from '../rfps/tables.ts'
import type { MeetingRoom } from '../suppliers/tables.ts'
import { computeTotalCost, type RfpQuantities, getRfpQuantitiesForDates, type TotalCost } from './cost.ts'
import type { RfpResponseContent } from './tables.ts'

/** The fields of an event context that are needed to read responses. */
export type ResponseReadContext = Pick<HousingContext, 'db' | 'tenantId' | 'client' | 'event'>

/** An RFP with the time at which it was read. */
export interface RfpSnapshot extends RfpRow {
  /** Whether the RFP is sealed now: the contents of its responses may not be read before the due time. */
  isSealed: boolean
  now: Date
  /** The current day in the event's time zone. */
  today: string
}

/** SQL condition: the RFP is sealed. Every statement that reads the contents of responses must include it. */
const isSealed = (): RawBuilder<boolean> => sql<boolean>`(rfps.sealed and lanyard_now() < rfps.response_due_at)`

/**
 * Reads an RFP. With `forChange` the row is locked, so that the RFP cannot be awarded or cancelled before the caller's transaction ends.
 */
export async function readRfpSnapshot(ctx: ResponseReadContext, rfpId: string, { forChange = false } = {}): Promise<RfpSnapshot> {
  const query = eventDb(ctx)
    .selectFrom('rfps')
    .selectAll()
    .select([isSealed().as('isSealed'), sql<Date>`lanyard_now()`.as('now')])
    .where('id', '=', rfpId)
  const row = await (forChange ? query.forShare() : query).executeTakeFirst()
  if (!row) throw notFound(`No RFP ${rfpId} at this event. List RFPs with list_rfps`)
  return { ...row, today: toDayInZone(ctx.event.timezone, row.now) }
}

/** A supplier who received the RFP, with the status of its response. A sealed RFP shows nothing else about responses. */
export interface InvitedSupplier {
  recipientId: string
  supplierId: string
  name: string
  status: RecipientRow['status']
  reason: string | null
  sentAt: Date | null
  submittedAt: Date | null
}

export async function listInvitedSuppliers(ctx: ResponseReadContext, rfp: Pick<RfpRow, 'id'>): Promise<InvitedSupplier[]> {
  const rows = await eventDb(ctx)
    .selectFrom('rfp_recipients as r')
    .innerJoin('suppliers as s', (join) =>
      join.onRef('s.tenant_id', '=', 'r.tenant_id').onRef('s.client_id', '=', 'r.client_id').onRef('s.id', '=', 'r.supplier_id'),
    )
    .select(['r.id', 'r.supplier_id', 's.name', 'r.status', 'r.reason', 'r.sent_at', 'r.submitted_at'])
    .where('r.rfp_id', '=', rfp.id)
    .orderBy('s.name')
    .orderBy('r.id')
    .execute()
  return rows.map(({ id, supplier_id, name, status, reason, sent_at, submitted_at }) => ({
    recipientId: id,
    supplierId: supplier_id,
    name,
    status,
    reason,
    sentAt: sent_at,
    submittedAt: submitted_at,
  }))
}

/** A submitted response with its supplier and its total cost, in minor units of its own currency. */
export interface ComparableResponse {
  id: string
  recipientId: string
  supplierId: string
  supplier: {
    name: string
    latitude: number | null
    longitude: number | null
    meetingRooms: readonly MeetingRoom[]
    totalMeetingSqm: number | null
  }
  dateOption: number
  dates: DateOption
  /** The rooms that the RFP requests for each night, moved to the dates that this response offers. */
  nights: readonly RoomsNeededOnNight[]
  round: number
  submittedAt: Date
  content: RfpResponseContent
  cost: TotalCost
}

export interface ResponseSelection {
  responseIds?: readonly string[] | undefined
  dateOption?: number | undefined
}

/**
 * Reads the responses that can be compared: the latest round of each supplier and date option, except withdrawn responses and suppliers
 * that declined. Rejects a sealed RFP before its due time, and an empty selection.
 */
export const readComparableResponses = async (
  ctx: ResponseReadContext,
  rfp: RfpSnapshot,
  query: ResponseSelection = {},
): Promise<ComparableResponse[]> => (await readSelectedResponses(ctx, rfp, query)).chosen

/** Reads all responses of an RFP that can be compared (`all`) and, among them, those that the caller selected (`chosen`). */
export async function readSelectedResponses(ctx: ResponseReadContext, rfp: RfpSnapshot, { responseIds, dateOption }: ResponseSelection) {
  if (rfp.isSealed) throw createSealedRfpError(rfp)
  const all: ComparableResponse[] = await readUnsealedResponses(ctx, rfp)
  const unknown = responseIds?.find((id) => !all.some((one) => one.id === id))
  if (unknown !== undefined) throw await explainMissing(ctx, rfp, unknown)
  const chosen = all.filter((one) => (responseIds?.includes(one.id) ?? true) && (dateOption === undefined || one.dateOption === dateOption))
  if (chosen.length === 0)
    throw preconditionFailed(`There is no response to ${rfp.number}${dateOption === undefined ? '' : ' at these dates'} to compare`)
  return { all, chosen }
}

export const createSealedRfpError = ({ number, response_due_at }: Pick<RfpRow, 'number' | 'response_due_at'>) =>
  preconditionFailed(`${number} is sealed: responses can be read from ${formatInstant(response_due_at)} on`)

async function explainMissing(ctx: ResponseReadContext, rfp: RfpSnapshot, responseId: string) {
  const row = await eventDb(ctx)
    .selectFrom('rfp_responses')
    .select(['withdrawn_at'])
    .where('rfp_id', '=', rfp.id)
    .where('id', '=', responseId)
    .executeTakeFirst()
  if (!row) return notFound(`No response ${responseId} to ${rfp.number}. List responses with list_rfp_responses`)
  return preconditionFailed(
    `Response ${responseId} was ${row.withdrawn_at ? 'withdrawn' : 'replaced in a later round or its supplier left'}`,
  )
}

interface OpenQuery {
  /** Whether to include earlier rounds and withdrawn responses. */
  allRounds?: boolean
}

/** Reads submitted responses by supplier and date option. Returns no responses while the RFP is sealed. */
export async function readUnsealedResponses(
  ctx: ResponseReadContext,
  rfp: RfpSnapshot,
  { allRounds = false }: OpenQuery = {},
): Promise<(ComparableResponse & { isCurrent: boolean })[]> {
  const rows = await selectOpenResponses(ctx, rfp.id)
  const asked = rfp.date_options.map((dates) => ({
    dates,
    quantities: getRfpQuantitiesForDates(rfp.requirements, rfp.date_options[0]!, dates),
  }))
  const latest = Map.groupBy(rows, ({ recipient_id, date_option }) => `${recipient_id}/${date_option}`)
  return rows
    .map((row) => {
      const last = latest.get(`${row.recipient_id}/${row.date_option}`)!.at(-1)!
      const isCurrent = last.id === row.id && row.withdrawn_at === null && !['withdrawn', 'turnedDown'].includes(row.status)
      return { ...toComparable(asked[row.date_option] ?? asked[0]!, row), isCurrent }
    })
    .filter(({ isCurrent }) => allRounds || isCurrent)
}

const selectOpenResponses = (ctx: ResponseReadContext, rfpId: string) =>
  eventDb(ctx)
    .selectFrom('rfp_responses as o')
    .innerJoin('rfps', (join) => joinRowsOfSameEvent(join, 'rfps.id', 'o.rfp_id'))
    .innerJoin('rfp_recipients as r', (join) => joinRowsOfSameEvent(join, 'r.id', 'o.recipient_id'))
    .innerJoin('suppliers as s', (join) =>
      join.onRef('s.tenant_id', '=', 'o.tenant_id').onRef('s.client_id', '=', 'r.client_id').onRef('s.id', '=', 'o.supplier_id'),
    )
    .select(['o.id', 'o.recipient_id', 'o.supplier_id', 'o.date_option', 'o.round', 'o.submitted_at', 'o.withdrawn_at', 'o.content'])
    .select(['r.status', 's.name', 's.latitude', 's.longitude', 's.meeting_rooms', 's.total_meeting_sqm'])
    .where('o.rfp_id', '=', rfpId)
    .where(sql<boolean>`not ${isSealed()}`)
    .orderBy('s.name')
    .orderBy('o.recipient_id')
    .orderBy('o.date_option')
    .orderBy('o.round')
    .orderBy('o.submitted_at')
    .orderBy('o.id')
    .execute()

type OpenRow = Awaited<ReturnType<typeof selectOpenResponses>>[number]

function toComparable({ dates, quantities }: { dates: DateOption; quantities: RfpQuantities }, row: OpenRow): ComparableResponse {
  return {
    id: row.id,
    recipientId: row.recipient_id,
    supplierId: row.supplier_id,
    supplier: {
      name: row.name,
      latitude: row.latitude,
      longitude: row.longitude,
      meetingRooms: row.meeting_rooms,
      totalMeetingSqm: row.total_meeting_sqm,
    },
    dateOption: row.date_option,
    dates,
    nights: quantities.nights,
    round: row.round,
    submittedAt: row.submitted_at,
    content: row.content,
    cost: computeTotalCost(row.content, quantities),
  }
}
