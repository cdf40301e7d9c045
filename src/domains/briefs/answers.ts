import type { Money } from '../../kernel/money.ts'

/** The possible seating layouts of a meeting room, which determine how many people the room seats. */
export const ROOM_SETUPS = ['theater', 'reception', 'rounds', 'classroom', 'ushape', 'boardroom'] as const
export type RoomSetup = (typeof ROOM_SETUPS)[number]

/** The kinds of hotel rooms that a brief counts separately for each night. */
export const ROOM_OCCUPANCY_KINDS = ['single', 'double', 'suite', 'staff'] as const
export type RoomOccupancyKind = (typeof ROOM_OCCUPANCY_KINDS)[number]
export type RoomsNeededOnNight = { night: string } & Partial<Record<RoomOccupancyKind, number>>

export interface EventFunctionNeed {
  name: string
  day: string
  from: string
  until: string
  people: number
  setup: RoomSetup
}

export interface MealNeed {
  day: string
  /** The kind of meal, such as `lunch`. Suppliers use the same name when they state the price of the meal. */
  kind: string
  people: number
}

export interface DateOption {
  arrival: string
  departure: string
}

/** The answers of a brief by question code. Answers to required questions are missing until they are given. */
export interface BriefAnswers {
  purpose?: string
  eventType?: string
  attendees?: number
  decisionFactors?: string[]
  preferredArrival?: string
  preferredDeparture?: string
  alternates?: DateOption[]
  flexible?: boolean
  cities?: string[]
  radiusKm?: number
  needRooms?: boolean
  roomsByNight?: RoomsNeededOnNight[]
  maxRate?: Money
  needSpace?: boolean
  functions?: EventFunctionNeed[]
  exhibitBooths?: number
  meals?: MealNeed[]
  avNeeds?: string
  budget?: Money
  currency?: string
  concessionsWanted?: string[]
  attritionWanted?: number
  cutoffDaysWanted?: number
  mustHaves?: string[]
  pastPickup?: { event: string; contracted: number; pickup: number }[]
}
