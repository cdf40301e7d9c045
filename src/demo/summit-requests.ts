import { submitRequest } from '../domains/block-requests/submit.ts'
import { listStayNights } from '../domains/housing/stay.ts'
import type { EventContext } from '../kernel/context.ts'

/** Adds an exhibitor's request for rooms for its team, which waits for the housing manager. */
export const seedRoomRequest = (ctx: EventContext, companyId: string) =>
  submitRequest(
    ctx,
    { companyId, name: 'Rui Tavares', email: 'rui.tavares@example.org', isTestData: false },
    {
      profile: listStayNights('2027-05-10', '2027-05-14').map((night) => ({ night, rooms: 4 })),
      roomTypes: [],
      hotelPreferences: [],
      keepTogether: true,
      paymentBy: 'guest',
      note: 'Four people for the booth. Please keep us in one hotel.',
    },
  )
