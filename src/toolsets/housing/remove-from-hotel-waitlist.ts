import { toOneLine, count, flag, id, list, object, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { removeFromHotelWaitlist } from '../../domains/checkout/hotel-waitlist/remove.ts'

export default eventTool({
  name: 'remove_from_hotel_waitlist',
  title: 'Remove from a hotel waitlist',
  description:
    'Drop people from the waiting list (queue) of a hotel, which cannot be undone, for example because she found a bed elsewhere and no longer wants to wait; an offered room is released until fill_hotel_waitlist is called. Entries with a room or a running charge are skipped. Check with dryRun first. Returns how many were removed.',
  effect: 'destructive',
  permission: 'housing.write',
  openWorld: true,
  keyed: true,
  input: { entryIds: list(id('hotelWaitlistEntry'), 200).min(1), reason: text(500), notify: flag().default(false) },
  output: {
    removed: count(),
    skipped: list(toOneLine(object({ entryId: id(), reason: text() }), 'entryId, reason'), 200),
  },
  run: removeFromHotelWaitlist,
})
