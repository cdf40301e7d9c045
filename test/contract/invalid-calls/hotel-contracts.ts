import { type InvalidCall, wrongName, wrongValue, missingArgument } from './calls.ts'

export const HOTEL_CONTRACTS_CALLS: readonly InvalidCall[] = [
  wrongValue('amend_contract', 'kind', 'amendment', 'addendum', ['original', 'addendum', 'review', 'finalPickup']),
  wrongValue('amend_contract', 'sellStatus', 'opened', 'open', ['open', 'changes', 'closed']),
  wrongName('amend_contract', 'hotel', 'hotelId', 'house-0'),
  missingArgument('amend_contract', 'reason', []),
]
