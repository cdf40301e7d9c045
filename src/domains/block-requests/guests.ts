import { sql } from 'kysely'
import { email } from '../../kernel/args.ts'
import { foldEmailCase } from '../../kernel/email-address.ts'
import { AppError, type FieldError, invalidArguments, notFound, preconditionFailed } from '../../kernel/errors.ts'
import { toFieldError } from '../../kernel/field-reasons.ts'
import { runInSavepoint } from '../../kernel/savepoint.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import { daysBetween, isCalendarDay } from '../../kernel/time.ts'
import type { ExhibitorContext } from '../exhibitors/context.ts'
import { importMembers } from '../groups/import-members.ts'
import { sendRoomEmails } from '../housing/emails.ts'
import { cancelStay } from '../housing/release.ts'
import { getReservation, listReservedNights, listReservations } from '../housing/reservations.ts'
import { createTooFewRoomsError } from '../housing/errors.ts'
import { getFlow, loadEventSnapshot } from '../registration/event-snapshot.ts'
import { getParticipant } from '../registration/participant-rows.ts'
import { recordSales } from '../registration/sale/record-sales.ts'
import { formatParticipantName } from '../registration/participant-shape.ts'
import { reserveRoom, saveRoomAnswers } from '../registration/sale/rooms.ts'
import { addStaffToCompany } from '../staffing/add-staff.ts'
import { lockBlockRequest, getRequestLabel } from './requests.ts'
import { readHotelNames } from './requester.ts'
import type { BlockRequestRow } from './tables.ts'

export interface BlockGuestInput {
  firstName: string
  lastName: string
  email: string
  hotelId: string
  roomTypeCode: string
  checkIn: string
  checkOut: string
  occupants: number
}

/**
 * Gives a room of the request's block to a guest. A new guest is registered as a member of the group or as staff of the company; a
 * registered guest is found by email. `by` is the verified email address of the person who names the guest.
 */
export async function assignBlockRoomToGuest(ctx: ExhibitorContext, requestId: string, guest: BlockGuestInput, by: string): Promise<void> {
  const row = await lockBlockRequest(ctx, requestId)
  requireAccepted(row)
  await placeGuest(ctx, row, guest, by)
}

/** The maximum number of guests in one uploaded list, which is enough for the busiest night of any company. */
export const MAX_LISTED_GUESTS = 500

/**
 * Gives rooms to all guests of a list, or to none if one guest is rejected. The path of each error begins with the guest's position in the
 * list.
 */
export async function assignBlockRoomsToGuests(
  ctx: ExhibitorContext,
  requestId: string,
  guests: readonly BlockGuestInput[],
  by: string,
): Promise<void> {
  const row = await lockBlockRequest(ctx, requestId)
  requireAccepted(row)
  if (guests.length > MAX_LISTED_GUESTS) throw invalidArguments([toFieldError('', 'error.guestList', { limit: MAX_LISTED_GUESTS })])
  const refused: FieldError[] = []
  for (const [index, guest] of guests.entries()) {
    const tried = await runInSavepoint(ctx, () => placeGuest(ctx, row, guest, by))
    if (tried.refused) refused.push(...toListErrors(index, tried.refused))
  }
  if (refused.length > 0) throw invalidArguments(refused)
}

function toListErrors(index: number, refused: AppError): FieldError[] {
  if (refused.code === 'limit_exceeded' && !refused.details.fields) return [toFieldError(`${index}/checkIn`, 'error.blockFull')]
  const fields = refused.details.fields ?? [{ path: '', message: refused.message }]
  return fields.map((field) => ({ ...field, path: `${index}/${field.path}` }))
}

function requireAccepted(row: BlockRequestRow): void {
  if (row.status !== 'accepted') throw preconditionFailed(`Guests can be named after the rooms of ${getRequestLabel(row)} were accepted`)
}

async function placeGuest(ctx: ExhibitorContext, row: BlockRequestRow, guest: BlockGuestInput, by: string): Promise<void> {
  checkGuest(guest)
  const participantId = row.group_id === null ? await bookStaff(ctx, row, guest) : await bookMember(ctx, row, guest, by)
  await requireRoomOfBlock(ctx, row, participantId, guest)
  await emailGuest(ctx, participantId)
}

/** Emails a guest that a room was confirmed or cancelled. */
async function emailGuest(ctx: ExhibitorContext, participantId: string): Promise<void> {
  const participant = await getParticipant(ctx, participantId)
  if (participant.email !== null)
    await sendRoomEmails(ctx, participant, { email: participant.email, name: formatParticipantName(participant) || null })
}

/** Cancels the room of a guest of an accepted request. The room goes back to the block, so that another guest can be named. */
export async function removeBlockGuest(ctx: ExhibitorContext, requestId: string, reservationId: string): Promise<void> {
  const row = await lockBlockRequest(ctx, requestId)
  requireAccepted(row)
  const guest = (await listBlockGuests(ctx, row)).find((one) => one.reservationId === reservationId)
  if (!guest) throw notFound(`No guest with the reservation ${reservationId} in the block of ${getRequestLabel(row)}`)
  const { participant_id: participantId } = await getReservation(ctx, reservationId)
  const snapshot = { ...(await loadEventSnapshot(ctx)), isTest: row.is_test_data }
  await cancelStay(ctx, snapshot, reservationId, 'given up by the requester of the block')
  await saveRoomAnswers(ctx, participantId, {})
  await emailGuest(ctx, participantId)
}

function checkGuest({ firstName, lastName, email: address, checkIn, checkOut }: BlockGuestInput): void {
  const errors = [
    ...(firstName === '' || lastName === '' ? [toFieldError(firstName === '' ? 'firstName' : 'lastName', 'error.guestName')] : []),
    ...(email().safeParse(address).success ? [] : [toFieldError('email', 'error.email')]),
    ...(!isCalendarDay(checkIn) || !isCalendarDay(checkOut) ? [toFieldError('checkIn', 'error.roomDays')] : []),
    ...(isCalendarDay(checkIn) && isCalendarDay(checkOut) && daysBetween(checkIn, checkOut) < 1
      ? [toFieldError('checkOut', 'error.departure')]
      : []),
  ]
  if (errors.length > 0) throw invalidArguments(errors)
}

const toRoomAnswers = ({ hotelId, roomTypeCode, checkIn, checkOut, occupants }: BlockGuestInput) => ({
  '@housing.hotelId': hotelId,
  '@housing.roomTypeCode': roomTypeCode,
  '@housing.checkIn': checkIn,
  '@housing.checkOut': checkOut,
  '@housing.occupants': occupants,
})

async function bookMember(ctx: ExhibitorContext, row: BlockRequestRow, guest: BlockGuestInput, by: string): Promise<string> {
  const known = await findRegistration(ctx, row, guest.email)
  if (known !== null) {
    if (known.group_id !== row.group_id) throw notOfRequester(guest)
    await bookRoom(ctx, known.id, guest)
    return known.id
  }
  const group = await eventDb(ctx).selectFrom('managed_groups').select('code').where('id', '=', row.group_id!).executeTakeFirstOrThrow()
  const data = {
    '@participant.firstName': guest.firstName,
    '@participant.lastName': guest.lastName,
    '@participant.email': guest.email,
    ...toRoomAnswers(guest),
  }
  const person = { email: by, participantIds: [] }
  const { results } = await importMembers({ ...ctx, person }, { groupCode: group.code, members: [{ data }] })
  const [result] = results
  if (!result?.participantId) throw toGuestError(result?.errors?.[0])
  return result.participantId
}

/**
 * Registers a guest as staff of the company without buying a pass, because the company buys paid passes in its portal, where it sees their
 * price.
 */
async function bookStaff(ctx: ExhibitorContext, row: BlockRequestRow, guest: BlockGuestInput): Promise<string> {
  const { firstName, lastName, email: address } = guest
  const known = await findRegistration(ctx, row, address)
  if (known !== null && known.company_id !== null && known.company_id !== row.company_id) throw notOfRequester(guest)
  if (known?.company_id !== row.company_id) {
    const people = [{ firstName, lastName, email: address, role: 'staff' as const }]
    const enlisted = await runInSavepoint(ctx, () =>
      addStaffToCompany(ctx, { companyId: row.company_id!, people, register: true, pass: 'free' }),
    )
    if (enlisted.refused?.code === 'limit_exceeded') throw invalidArguments([toFieldError('email', 'error.guestPass')])
    if (enlisted.refused) throw enlisted.refused
  }
  const staff = await findRegistration(ctx, row, address)
  if (staff?.company_id !== row.company_id) throw notOfRequester(guest)
  await bookRoom(ctx, staff.id, guest)
  return staff.id
}

const notOfRequester = ({ email: address }: BlockGuestInput) =>
  invalidArguments([toFieldError('email', 'error.guestElsewhere', { email: address })])

const toGuestError = (problem: { binding: string; message: string } | undefined): AppError =>
  invalidArguments([
    { path: problem?.binding.replace(/^@(participant|housing)\./, '') ?? 'email', message: problem?.message ?? 'cannot be registered' },
  ])

/** Books a room of the block for a registered person. Throws if the person already has a room. */
async function bookRoom(ctx: ExhibitorContext, participantId: string, guest: BlockGuestInput): Promise<void> {
  const [room] = await listReservations(ctx, [participantId], ['confirmed'])
  if (room) throw invalidArguments([toFieldError('email', 'error.guestHasRoom', { email: guest.email })])
  const row = await getParticipant(ctx, participantId)
  const snapshot = { ...(await loadEventSnapshot(ctx)), isTest: row.is_test_data }
  const flow = getFlow(snapshot, row.flow_slug!)
  const { sales } = await reserveRoom(ctx, row, { snapshot, flow, answers: toRoomAnswers(guest), tags: row.tags, source: 'group' })
  await recordSales(ctx, snapshot, sales)
}

const findRegistration = async (ctx: ExhibitorContext, row: BlockRequestRow, address: string) =>
  (await eventDb(ctx)
    .selectFrom('participants')
    .select(['id', 'group_id', 'company_id'])
    .where('email_norm', '=', foldEmailCase(address))
    .where('is_test_data', '=', row.is_test_data)
    .where('status', '<>', 'cancelled')
    .where('host_id', 'is', null)
    .orderBy(sql`status <> 'complete'`)
    .orderBy('id')
    .executeTakeFirst()) ?? null

/**
 * Rejects rooms outside the block: every night must come from the block, because a requester cannot give away rooms of the general
 * inventory.
 */
async function requireRoomOfBlock(
  ctx: ExhibitorContext,
  row: BlockRequestRow,
  participantId: string,
  guest: BlockGuestInput,
): Promise<void> {
  const [room] = await listReservations(ctx, [participantId], ['confirmed'])
  const nights = room ? await listReservedNights(ctx, room.id) : []
  const outside = nights.filter(({ block_id }) => block_id !== row.block_id)
  if (room && outside.length === 0) return
  const names = await readHotelNames(ctx, [guest.hotelId])
  throw createTooFewRoomsError({
    hotel: names.get(guest.hotelId) ?? guest.hotelId,
    roomType: guest.roomTypeCode,
    wanted: 1,
    short: (room ? outside.map(({ night }) => night) : [guest.checkIn]).map((night) => ({ night, free: 0 })),
    path: 'checkIn',
  })
}

/** A guest's reservation in the request's block. */
export interface BlockGuest {
  reservationId: string
  name: string
  firstName: string
  lastName: string
  email: string | null
  hotelId: string
  roomTypeCode: string
  checkIn: string
  checkOut: string
  occupants: number
  guaranteeDueAt: Date | null
}

/** Lists the guests of the request's block by arrival date. */
export async function listBlockGuests({ db, tenantId, event }: ExhibitorContext, { block_id }: BlockRequestRow): Promise<BlockGuest[]> {
  if (block_id === null) return []
  const { rows } = await sql<BlockGuest>`
    select s.id as "reservationId", coalesce(nullif(btrim(concat_ws(' ', p.first_name, p.last_name)), ''), p.email) as name,
      coalesce(p.first_name, '') as "firstName", coalesce(p.last_name, '') as "lastName", p.email, s.hotel_id as "hotelId",
      s.room_type_code as "roomTypeCode", s.check_in as "checkIn", s.check_out as "checkOut", s.occupants,
      case when s.guarantee_status = 'pending' then s.guarantee_due_at end as "guaranteeDueAt"
    from reservations s join participants p on p.tenant_id = s.tenant_id and p.event_id = s.event_id and p.id = s.participant_id
    where s.tenant_id = ${tenantId} and s.event_id = ${event.id} and s.status in ('confirmed', 'noShow') and not s.is_test_data
      and exists (select from reservation_nights n where n.tenant_id = s.tenant_id and n.event_id = s.event_id and n.reservation_id = s.id
        and n.block_id = ${block_id})
    order by s.check_in, name, s.id limit 500`.execute(db)
  return rows
}
