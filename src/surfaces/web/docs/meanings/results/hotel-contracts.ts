import type { ToolMeanings } from '../meanings.ts'

export const HOTEL_CONTRACTS_RESULTS: ToolMeanings = {
  amend_contract: {
    contract: 'The contract afterwards.',
    addendum: 'The addendum that was written. It can never be changed.',
    nights: 'Room nights that changed.',
    attrition: 'What the contract costs and earns, before and afterwards.',
    notifies: 'Number of guests who get an email about a lower rate.',
  },
}
