import type { FieldDocsByTool } from '../meanings.ts'

export const HOTEL_CONTRACT_RESULT_DOCS: FieldDocsByTool = {
  amend_contract: {
    contract: 'The contract afterwards.',
    addendum: 'The addendum that was written. It can never be changed.',
    nights: 'Room nights that changed.',
    attrition: 'What the contract costs and earns, before and afterwards.',
    notifies: 'Number of guests who get an email about a lower rate.',
  },
}
