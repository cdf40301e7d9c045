import { type InvalidCall, wrongName, wrongValue, missingArgument } from './calls.ts'

export const HOTEL_WAITLIST_CALLS: readonly InvalidCall[] = [
  wrongValue('fill_hotel_waitlist', 'onDecline', 'next', 'skip', ['offer', 'skip']),
  wrongName('fill_hotel_waitlist', 'limit', 'count', 2),
  wrongValue('fill_hotel_waitlist', 'entryIds', ['first'], undefined, ['fill_hotel_waitlist'], { example: 1 }),
  missingArgument('remove_from_hotel_waitlist', 'reason', []),
  wrongName('remove_from_hotel_waitlist', 'sendEmail', 'notify', true),
]
