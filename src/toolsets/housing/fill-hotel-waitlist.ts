import { toOneLine, code, count, flag, id, list, object, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { hotelReferenceSchema } from '../../domains/housing/find-hotel.ts'
import { fillRoomsFromWaitlist, previewWaitlistFill } from '../../domains/checkout/hotel-waitlist/fill.ts'
import { WaitlistFillResults } from '../../domains/checkout/hotel-waitlist/results.ts'
import { addWaitlistChargeOutcomes } from '../../domains/checkout/hotel-waitlist/settle.ts'

export default eventTool({
  name: 'fill_hotel_waitlist',
  title: 'Fill a hotel waitlist',
  description:
    'Give freed rooms (cancellations at a sold-out hotel) to waiting guests, in order, and charge deposits to their saved cards, which cannot be undone. Without a card the room is offered by email. Preview with dryRun, pass its confirmToken; over 20 charges or 100 people run as a job, read by jobId. To drop people use remove_from_hotel_waitlist. Returns outcomes.',
  effect: 'destructive',
  permission: 'housing.write',
  openWorld: true,
  keyed: true,
  input: {
    hotelId: hotelReferenceSchema().optional(),
    roomTypeCode: code().optional(),
    entryIds: list(id('hotelWaitlistEntry'), 200).min(1).optional(),
    count: count(1, 1000).optional(),
    priorityTags: list(code(), 20).optional(),
    onDecline: oneOf(['offer', 'skip']).optional(),
    useReturned: flag().optional(),
    jobId: id('hotelWaitlistFill').optional(),
  },
  output: {
    ...WaitlistFillResults,
    jobId: text().optional(),
    status: oneOf(['queued', 'running', 'done', 'failed']).optional(),
    progress: toOneLine(object({ done: count(), total: count() }), 'done, total').optional(),
  },
  readsOnly: ({ jobId }) => jobId !== undefined,
  findArgumentErrors: ({ jobId, hotelId, roomTypeCode, ...others }) => [
    ...(jobId === undefined
      ? []
      : Object.entries({ hotelId, roomTypeCode, ...others }).flatMap(([path, value]) =>
          value === undefined || path === 'eventCode' || path === 'clientCode' ? [] : [{ path, message: 'is not allowed with jobId' }],
        )),
    ...(roomTypeCode !== undefined && hotelId === undefined ? [{ path: 'roomTypeCode', message: 'is only allowed with hotelId' }] : []),
  ],
  toPreview: previewWaitlistFill,
  run: fillRoomsFromWaitlist,
  afterCommit: addWaitlistChargeOutcomes,
})
