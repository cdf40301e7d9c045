import { defineStateMachine } from '../../kernel/states.ts'

/** States of a reservation. A cancelled reservation can be confirmed again when its registration is reinstated. */
export const RESERVATION_STATES = defineStateMachine({
  column: 'reservations.status',
  kind: 'reservation',
  noun: 'reservation',
  initial: 'held',
  moves: {
    held: ['confirmed', 'cancelled', 'expired'],
    confirmed: ['cancelled', 'noShow'],
    cancelled: ['confirmed'],
    expired: [],
    noShow: [],
  },
})

/** States of a room's guarantee, which is determined again when the room is confirmed or another payer covers it. */
export const GUARANTEE_STATES = defineStateMachine({
  column: 'reservations.guarantee_status',
  kind: 'reservation',
  noun: 'guarantee',
  initial: 'notNeeded',
  moves: {
    notNeeded: ['pending', 'secured'],
    pending: ['secured', 'failed', 'notNeeded'],
    secured: ['pending', 'failed', 'notNeeded'],
    failed: ['pending', 'secured', 'notNeeded'],
  },
})

export const RESERVATION_NIGHT_STATES = defineStateMachine({
  column: 'reservation_nights.status',
  kind: 'reservation',
  noun: 'room night',
  initial: 'held',
  moves: {
    held: ['confirmed'],
    confirmed: ['noShow'],
    noShow: [],
  },
})

export const HOTEL_WAITLIST_STATES = defineStateMachine({
  column: 'hotel_waitlist_entries.status',
  kind: 'hotelWaitlistEntry',
  noun: 'hotel waiting list entry',
  initial: 'waiting',
  moves: {
    waiting: ['offered', 'filled', 'removed'],
    offered: ['waiting', 'filled', 'removed'],
    filled: [],
    removed: [],
  },
})

/** States of a hotel's contract. There is one per hotel, so a cancelled contract is reopened if the hotel signs after all. */
export const HOUSING_CONTRACT_STATES = defineStateMachine({
  column: 'housing_contracts.status',
  kind: 'housingContract',
  noun: 'housing contract',
  initial: 'tentative',
  moves: {
    tentative: ['definite', 'cancelled'],
    definite: ['cancelled'],
    cancelled: ['tentative', 'definite'],
  },
})

export const ROOM_BLOCK_STATES = defineStateMachine({
  column: 'room_blocks.status',
  kind: 'block',
  noun: 'room block',
  initial: 'active',
  moves: {
    active: ['closed'],
    closed: ['active'],
  },
})

/** States of a request to share a room. An accepted request becomes pending again when the room is cancelled. */
export const ROOM_SHARE_STATES = defineStateMachine({
  column: 'room_shares.status',
  kind: 'roomShare',
  noun: 'room share request',
  initial: 'pending',
  moves: {
    pending: ['accepted', 'declined', 'withdrawn'],
    accepted: ['pending', 'withdrawn'],
    declined: [],
    withdrawn: [],
  },
})

const SELL_STATUSES = ['open', 'changes', 'changesSameType', 'closed'] as const

/** The sales statuses of a hotel or block. Organizers may change each status to any other one. */
const sellStates = (record: { column: string; kind: string; noun: string }) =>
  defineStateMachine({
    ...record,
    initial: 'open',
    moves: { open: SELL_STATUSES, changes: SELL_STATUSES, changesSameType: SELL_STATUSES, closed: SELL_STATUSES },
  })

export const HOTEL_SALE_STATES = sellStates({ column: 'event_hotels.sell_status', kind: 'hotel', noun: 'hotel' })
export const ROOM_BLOCK_SALE_STATES = sellStates({ column: 'room_blocks.sell_status', kind: 'block', noun: 'room block' })
