import type { ToolMeanings } from '../meanings.ts'

const nightOf = (path: string) => ({
  [`${path}.contracted`]: 'Contracted rooms.',
  [`${path}.base`]: 'Rooms that attrition is measured against.',
  [`${path}.returned`]: 'Rooms given back to the hotel.',
  [`${path}.freeSell`]: 'Rooms that anybody may book.',
  [`${path}.rate`]: 'Rate for one guest.',
})

const settlementOf = (path: string) => ({
  [`${path}.method`]: 'How damages are counted.',
  [`${path}.committed`]: 'Room nights that must be booked.',
  [`${path}.pickup`]: 'Room nights that count as booked.',
  [`${path}.resold`]: 'Room nights that the hotel resold.',
  [`${path}.short`]: 'Room nights below the commitment.',
  [`${path}.damages`]: 'Damages if nothing more is booked.',
  [`${path}.compsEarned`]: 'Free rooms earned.',
  [`${path}.rebate`]: 'Rebate for the booked room nights.',
})

export const HOTEL_CONTRACTS_RESULTS: ToolMeanings = {
  amend_contract: {
    contract: 'The contract afterwards.',
    'contract.hotelId': 'Id of the hotel.',
    'contract.hotelCode': 'Code of the hotel.',
    'contract.status': 'State of the contract.',
    'contract.signedOn': 'Day of signature.',
    'contract.terms': 'All terms.',
    'contract.addenda': 'Number of addenda after the original.',
    'contract.contracted': 'Contracted room nights.',
    'contract.revision': 'Revision of the contract, for `ifRevision`.',
    addendum: 'The addendum that was written. It can never be changed.',
    'addendum.number': 'Number of the addendum; 0 is the original.',
    'addendum.kind': 'What it records.',
    'addendum.on': 'Day on which it was recorded.',
    'addendum.reason': 'The given reason.',
    'addendum.fileId': 'Signed document.',
    nights: 'Room nights that changed.',
    'nights.roomTypeCode': 'Code of the room type.',
    'nights.night': 'The night.',
    'nights.original': 'Rooms of the original contract, which never change.',
    'nights.before': 'The room night before; null if it is new.',
    ...nightOf('nights.before'),
    'nights.after': 'The room night afterwards.',
    ...nightOf('nights.after'),
    attrition: 'What the contract costs and earns, before and afterwards.',
    'attrition.before': 'Before the change; null for the original contract.',
    ...settlementOf('attrition.before'),
    'attrition.after': 'After the change.',
    ...settlementOf('attrition.after'),
    notifies: 'Number of guests who get an email about a lower rate.',
  },
}
