import { euros, type Examples, SUMMIT_SCOPE } from './example.ts'

export const HOTEL_CONTRACTS_EXAMPLES: Examples = {
  amend_contract: () => ({
    ...SUMMIT_SCOPE,
    hotelId: 'ribeira',
    nights: [{ roomTypeCode: 'king', from: '2027-05-10', until: '2027-05-12', delta: 5, rates: { single: euros('165.00') } }],
    terms: { attrition: { method: 'cumulative', commitPercent: 80 }, compPer: 50 },
    reason: 'Addendum signed by the hotel',
    dryRun: true,
  }),
}
