import { z } from 'zod'
import { toOneLine, count, day, flag, instant, list, object, oneOf, text, untrustedText } from '../../kernel/args.ts'
import { POLICY_VIOLATION_CODES } from './flags.ts'
import { BLOCK_AMENDMENT_STATES, BLOCK_REQUEST_STATES } from './states.ts'

export const blockRequestStatusSchema = () => oneOf(BLOCK_REQUEST_STATES.all)

const Requester = object({
  companyId: text().optional(),
  groupId: text().optional(),
  name: untrustedText(),
  contactName: untrustedText().optional(),
  email: untrustedText().optional(),
})

const requestFields = {
  id: text(),
  number: text().optional(),
  requester: toOneLine(Requester, 'companyId or groupId, name, contactName, email'),
  status: blockRequestStatusSchema(),
  acceptBy: day().optional(),
  peak: count(),
  roomNights: count(),
  granted: count(),
  pickup: count(),
  priorityPoints: z.number(),
  flags: list(oneOf(POLICY_VIOLATION_CODES)),
  amendmentPending: flag(),
  submittedAt: instant().optional(),
  revision: count(1),
}
export const RequestSummary = object(requestFields)

/** A block request after a change, in the short form in which lists show requests. */
export const ChangedBlockRequest = toOneLine(RequestSummary, 'as in list_block_requests')

const NightCount = object({ night: day(), rooms: count() })
const RoomNights = object({ hotelId: text(), roomTypeCode: text(), night: day(), rooms: count() })
export const roomNightListSchema = () => toOneLine(list(RoomNights, 100_000), 'hotelId, roomTypeCode, night, rooms')

export const RequestDetail = toOneLine(
  object({
    ...requestFields,
    note: untrustedText().optional(),
    kind: oneOf(['private', 'public']),
    profile: list(NightCount),
    roomTypes: list(text()),
    hotelPreferences: list(text()),
    keepTogether: flag(),
    paymentBy: oneOf(['guest', 'master']),
  }),
  'as in list_block_requests; note, kind, profile[], roomTypes[], hotelPreferences[]',
)

export const BlockRequestNight = toOneLine(
  object({ night: day(), requested: count(), granted: count(), pickup: count(), shortfall: count() }),
  'night, requested, granted, pickup, shortfall',
)
export const AllocatedRoomsShape = toOneLine(
  object({ hotelId: text(), roomTypeCode: text(), night: day(), rooms: count(), booked: count() }),
  'hotelId, roomTypeCode, night, rooms, booked',
)

const delta = () => z.int()
const AmendedNight = object({ night: day(), delta: delta(), hotelId: text().optional(), roomTypeCode: text().optional() })
export const AmendmentShape = toOneLine(
  object({
    id: text(),
    status: oneOf(BLOCK_AMENDMENT_STATES.all),
    changes: list(AmendedNight),
    reason: untrustedText().optional(),
    decision: untrustedText().optional(),
    decidedBy: untrustedText().optional(),
    createdAt: instant(),
    decidedAt: instant().optional(),
  }),
  'id, status, changes[] { night, delta, hotelId, roomTypeCode }, reason, decision',
)

export const RequestBlockShape = toOneLine(
  object({
    id: text(),
    code: text(),
    name: untrustedText(),
    status: oneOf(['active', 'closed']),
    sellStatus: text(),
    overflow: flag(),
    minNights: count(1).optional(),
    releaseOn: day().optional(),
    nameDeadlineOn: day().optional(),
    paymentBy: oneOf(['guest', 'master']),
  }),
  'id, code, name, status, sellStatus, overflow, releaseOn, nameDeadlineOn, paymentBy',
)

const Line = object({ hotelId: text(), roomTypeCode: text(), nights: list(day()), rooms: count(1) })
export const SuggestedRoomsShape = toOneLine(
  object({ allocations: list(Line), shortfall: list(NightCount) }),
  'allocations[] { hotelId, roomTypeCode, nights[], rooms }, shortfall[] { night, rooms }',
)

export const AllocationResult = toOneLine(
  object({
    requestId: text(),
    number: text().optional(),
    blockId: text().optional(),
    status: blockRequestStatusSchema(),
    requested: count(),
    granted: count(),
    shortfall: list(NightCount),
    hotels: list(object({ hotelId: text(), name: untrustedText(), roomNights: count() })),
    error: object({ code: text(), message: untrustedText() }).optional(),
  }),
  'requestId, number, blockId, status, requested, granted, shortfall[], hotels[], error',
)

export const ChangedRoomNight = toOneLine(
  object({ hotelId: text(), roomTypeCode: text(), night: day(), before: count(), after: count() }),
  'hotelId, roomTypeCode, night, before, after',
)
export const AppliedAmendmentNight = toOneLine(
  object({ hotelId: text(), roomTypeCode: text(), night: day(), delta: delta() }),
  'hotelId, roomTypeCode, night, delta',
)
export const UnappliedAmendmentNight = toOneLine(object({ night: day(), delta: delta() }), 'night, delta')
