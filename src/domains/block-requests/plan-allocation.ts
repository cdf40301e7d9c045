import { addDays } from '../../kernel/time.ts'

/** The number of requested rooms on a night. */
export interface RoomsPerNight {
  night: string
  rooms: number
}

/** A number of rooms for the same consecutive nights, so that each guest can keep one room for the whole stay. */
export interface NightSpan {
  nights: readonly string[]
  rooms: number
}

export interface RoomTypeSupply {
  code: string
  /** The number of free rooms and the rate for single occupancy, by contracted night. */
  nights: ReadonlyMap<string, { free: number; rate: number }>
}

export interface HotelSupply {
  id: string
  /** The distance of the hotel in kilometres. Null without coordinates: such hotels are used last. */
  distanceKm: number | null
  types: readonly RoomTypeSupply[]
  /** The number of rooms that the policy still allows in this hotel, by night; missing nights have no limit. */
  caps: ReadonlyMap<string, number>
}

export interface AllocationPlanInput {
  profile: readonly RoomsPerNight[]
  /** The codes of acceptable room types; if empty, any room type is acceptable. */
  roomTypes: readonly string[]
  /** The ids of preferred hotels, the first choice first. */
  preferences: readonly string[]
  keepTogether: boolean
  hotels: readonly HotelSupply[]
}

export interface GrantedRooms extends RoomsPerNight {
  hotelId: string
  roomTypeCode: string
}

export interface AllocationPlan {
  grants: GrantedRooms[]
  shortfall: RoomsPerNight[]
}

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/**
 * Splits the requested rooms per night into spans of consecutive nights. When the number of rooms rises, new spans begin; when it falls,
 * the most recently begun spans end. Spans are sorted by length, the longest first, then by their first night.
 */
export function splitIntoNightSpans(profile: readonly RoomsPerNight[]): NightSpan[] {
  const wanted = sumByNight(profile)
  const nights = [...wanted.keys()].toSorted(compareText)
  const open: { from: number; rooms: number }[] = []
  const spans: NightSpan[] = []
  const close = (many: number, end: number) => {
    for (let left = many; left > 0;) {
      const last = open.at(-1)!
      const rooms = Math.min(left, last.rooms)
      spans.push({ nights: nights.slice(last.from, end), rooms })
      last.rooms -= rooms
      left -= rooms
      if (last.rooms === 0) open.pop()
    }
  }
  let before = 0
  for (const [index, night] of nights.entries()) {
    // Rooms are booked for consecutive nights, so a night without requested rooms ends all spans.
    if (index > 0 && addDays(nights[index - 1]!, 1) !== night) {
      close(before, index)
      before = 0
    }
    const rooms = wanted.get(night)!
    if (rooms > before) open.push({ from: index, rooms: rooms - before })
    else close(before - rooms, index)
    before = rooms
  }
  close(before, nights.length)
  return spans.toSorted((a, b) => b.nights.length - a.nights.length || compareText(a.nights[0]!, b.nights[0]!))
}

function sumByNight(profile: readonly RoomsPerNight[]): Map<string, number> {
  const rooms = new Map<string, number>()
  for (const one of profile) if (one.rooms > 0) rooms.set(one.night, (rooms.get(one.night) ?? 0) + one.rooms)
  return rooms
}

/** Sorts hotels: the preferred ones in order of preference, then the others by distance, then by id. */
export function sortHotelsByPreference<H extends Pick<HotelSupply, 'id' | 'distanceKm'>>(
  hotels: readonly H[],
  preferences: readonly string[],
): H[] {
  const rank = ({ id }: H) => (preferences.includes(id) ? preferences.indexOf(id) : preferences.length)
  return hotels.toSorted(
    (a, b) => rank(a) - rank(b) || compareDistance(a.distanceKm ?? Infinity, b.distanceKm ?? Infinity) || compareText(a.id, b.id),
  )
}

// Compares distances; needed because the difference of two infinite distances is not a number.
const compareDistance = (a: number, b: number) => (a === b ? 0 : a - b)

/** Tracks free rooms and policy limits, which shrink as rooms are granted. */
export function trackRemainingRooms() {
  const used = new Map<string, number>()
  const usedAt = (key: string) => used.get(key) ?? 0
  return {
    limitOf: (hotel: HotelSupply, type: RoomTypeSupply, night: string) =>
      Math.min(
        (type.nights.get(night)?.free ?? 0) - usedAt(`${hotel.id}/${type.code}/${night}`),
        (hotel.caps.get(night) ?? Infinity) - usedAt(`${hotel.id}/${night}`),
      ),
    use: (hotel: HotelSupply, type: RoomTypeSupply, night: string, rooms: number) => {
      for (const key of [`${hotel.id}/${type.code}/${night}`, `${hotel.id}/${night}`]) used.set(key, usedAt(key) + rooms)
    },
  }
}

/** Sorts acceptable room types from cheapest to most expensive, by the single-occupancy rate of the first night, then by code. */
function orderTypes({ types }: HotelSupply, { roomTypes }: AllocationPlanInput, [first]: readonly string[]): RoomTypeSupply[] {
  const rate = ({ nights }: RoomTypeSupply) => nights.get(first!)?.rate ?? Infinity
  return types
    .filter(({ code }) => roomTypes.length === 0 || roomTypes.includes(code))
    .toSorted((a, b) => compareDistance(rate(a), rate(b)) || compareText(a.code, b.code))
}

function placeSpans(problem: AllocationPlanInput, spans: readonly NightSpan[], hotels: readonly HotelSupply[]): AllocationPlan {
  const remaining = trackRemainingRooms()
  const granted = new Map<string, GrantedRooms>()
  const short = new Map<string, number>()
  for (const { nights, rooms } of spans) {
    let left = rooms
    for (const hotel of hotels) {
      for (const type of orderTypes(hotel, problem, nights)) {
        const many = Math.max(0, Math.min(left, ...nights.map((night) => remaining.limitOf(hotel, type, night))))
        if (many === 0) continue
        left -= many
        for (const night of nights) {
          remaining.use(hotel, type, night, many)
          const key = `${hotel.id}/${type.code}/${night}`
          const before = granted.get(key)?.rooms ?? 0
          granted.set(key, { hotelId: hotel.id, roomTypeCode: type.code, night, rooms: before + many })
        }
      }
    }
    if (left > 0) for (const night of nights) short.set(night, (short.get(night) ?? 0) + left)
  }
  return {
    grants: [...granted.values()].toSorted(
      (a, b) => compareText(a.hotelId, b.hotelId) || compareText(a.roomTypeCode, b.roomTypeCode) || compareText(a.night, b.night),
    ),
    shortfall: [...short].map(([night, rooms]) => ({ night, rooms })).toSorted((a, b) => compareText(a.night, b.night)),
  }
}

/**
 * Plans the rooms of a request. With `keepTogether`, the first hotel with room for all spans gets all of them. Otherwise each span is
 * distributed over the hotels in order, as many rooms as are free on all of its nights. The result does not depend on the order of the
 * input.
 */
export function planAllocation(problem: AllocationPlanInput): AllocationPlan {
  const spans = splitIntoNightSpans(problem.profile)
  const hotels = sortHotelsByPreference(problem.hotels, problem.preferences)
  if (problem.keepTogether)
    for (const hotel of hotels) {
      const plan = placeSpans(problem, spans, [hotel])
      if (plan.shortfall.length === 0) return plan
    }
  return placeSpans(problem, spans, hotels)
}
