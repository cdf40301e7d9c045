import type { Examples } from '../examples.ts'
import type { Stage } from '../stage.ts'
import { hotelIdOf, openRooms } from './housing.ts'
import { storeSheetFile } from './imports.ts'
import { event } from './registration.ts'

const euros = (amount: string) => ({ amount, currency: 'EUR' })

const amendment = async (stage: Stage, more: object) => {
  await openRooms(stage)
  return { ...event(stage), hotelId: await hotelIdOf(stage, 'house-0'), reason: `Agreed with the hotel ${stage.text()}`, ...more }
}

export const HOTEL_CONTRACTS_EXAMPLES: Examples = {
  amend_contract: [
    (stage) => amendment(stage, { nights: [{ roomTypeCode: 'king', from: '2027-05-10', until: '2027-05-12', delta: 2 }] }),
    async (stage) =>
      amendment(stage, {
        fileId: await storeSheetFile(stage, 'name\nAddendum\n'),
        roomTypes: [{ code: 'twin', name: `Twin ${stage.text()}`, beds: ['twin'], maxOccupancy: 2 }],
        nights: [
          { roomTypeCode: 'twin', nights: ['2027-05-11'], contracted: 3, rates: { single: euros('120.00'), double: euros('140.00') } },
        ],
        terms: { cutoffOn: '2027-04-20', attrition: { method: 'cumulative', commitPercent: 80 }, compPer: 50 },
        afterCutoff: 'waitlist',
        attritionBase: 'keep',
      }),
  ],
}
