import { type InvalidCall, named, valued, without } from './calls.ts'

export const HOTEL_CONTRACTS_CALLS: readonly InvalidCall[] = [
  valued('amend_contract', 'kind', 'amendment', 'addendum', ['original', 'addendum', 'review', 'finalPickup']),
  valued('amend_contract', 'sellStatus', 'opened', 'open', ['open', 'changes', 'closed']),
  named('amend_contract', 'hotel', 'hotelId', 'house-0'),
  without('amend_contract', 'reason', []),
]
