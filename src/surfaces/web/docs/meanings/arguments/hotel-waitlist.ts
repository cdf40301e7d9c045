import type { FieldDocsByTool } from '../meanings.ts'

export const HOTEL_WAITLIST_ARGUMENT_DOCS: FieldDocsByTool = {
  fill_hotel_waitlist: {
    hotelId: 'Gives only rooms of this hotel, by id or code. Default: each entry’s first choice, then its alternatives.',
    roomTypeCode: 'Gives only rooms of this type.',
    entryIds: 'Entries to serve. Default: all that wait, without test data.',
    count: 'Serves at most so many entries. Default: as many as fit.',
    priorityTags: 'People with one of these tags come first, in this order.',
    onDecline: 'If a card is declined: offer the room, or skip the person and give it to the next one.',
    useReturned: 'Also gives rooms that were returned to the hotel, because the hotel has agreed.',
    jobId: 'Reads the job of an earlier call with many charges or entries. No other argument is allowed.',
  },
  remove_from_hotel_waitlist: {
    entryIds: 'Entries to remove.',
    reason: 'Why, for the audit log and the email.',
    notify: 'Emails the people who are removed.',
  },
}
