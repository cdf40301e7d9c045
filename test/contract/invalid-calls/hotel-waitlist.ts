import { type InvalidCall, named, valued, without } from './calls.ts'

export const HOTEL_WAITLIST_CALLS: readonly InvalidCall[] = [
  valued('fill_hotel_waitlist', 'onDecline', 'next', 'skip', ['offer', 'skip']),
  named('fill_hotel_waitlist', 'limit', 'count', 2),
  valued('fill_hotel_waitlist', 'entryIds', ['first'], undefined, ['fill_hotel_waitlist'], { example: 1 }),
  without('remove_from_hotel_waitlist', 'reason', []),
  named('remove_from_hotel_waitlist', 'sendEmail', 'notify', true),
]
