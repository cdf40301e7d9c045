import pg from 'pg'

interface RoomNight {
  key: string
  contracted: number
  returned: number
  allocated: number
  booked: number
  held: number
}
interface BlockNight {
  block_id: string
  key: string
  rooms: number
  booked: number
  held: number
}
interface Night {
  reservation_id: string
  key: string
  place: string
  night: string
  block_id: string | null
  status: string
}
interface Stay {
  id: string
  place: string
  check_in: string
  check_out: string
  status: string
}

/** A reader with a separate connection, which checks the rooms of an event in one snapshot. It shares no code with the product. */
export interface RoomReader {
  /** Returns the violations of the room rules H1 to H4, which are explained below, in one database snapshot. */
  findViolations: () => Promise<string[]>
  close: () => Promise<void>
}

const KEY = `hotel_id || ' ' || room_type_code || ' ' || night`
const PLACE = `hotel_id || ' ' || room_type_code`
const LIVE = ['held', 'confirmed', 'noShow']

export async function openRoomReader(url: string, eventId: string): Promise<RoomReader> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const list = async <T>(columns: string, table: string) =>
    (await client.query(`select ${columns} from ${table} where event_id = $1`, [eventId])).rows as T[]
  return {
    async findViolations() {
      await client.query('begin isolation level repeatable read read only')
      const rooms = await list<RoomNight>(`${KEY} as key, contracted, returned, allocated, booked, held`, 'room_nights')
      const blocks = await list<BlockNight>(`block_id, ${KEY} as key, rooms, booked, held`, 'block_nights')
      const nights = await list<Night>(
        `reservation_id, ${KEY} as key, ${PLACE} as place, night::text, block_id, status`,
        'reservation_nights',
      )
      const stays = await list<Stay>(`id, ${PLACE} as place, check_in::text, check_out::text, status`, 'reservations')
      await client.query('commit')
      return [...checkRooms(rooms, blocks), ...checkCounts(rooms, blocks, nights), ...checkStays(stays, nights)]
    },
    close: () => client.end(),
  }
}

/** H1 and H2: no count is negative or above its limit, and allocated rooms are the rooms in blocks. */
function checkRooms(rooms: readonly RoomNight[], blocks: readonly BlockNight[]): string[] {
  const allocated = Map.groupBy(blocks, ({ key }) => key)
  return [
    ...rooms.flatMap((one) => {
      const used = one.returned + one.allocated + one.booked + one.held
      const inBlocks = (allocated.get(one.key) ?? []).reduce((sum, { rooms: many }) => sum + many, 0)
      return [
        ...(used > one.contracted || Math.min(one.returned, one.allocated, one.booked, one.held) < 0
          ? [`H1 ${one.key}: ${used} used of ${one.contracted}`]
          : []),
        ...(inBlocks === one.allocated ? [] : [`H2 ${one.key}: ${one.allocated} allocated, ${inBlocks} in blocks`]),
      ]
    }),
    ...blocks.flatMap(({ block_id, key, rooms: many, booked, held }) =>
      booked + held > many || Math.min(booked, held) < 0 ? [`H2 ${block_id} ${key}: ${booked + held} used of ${many}`] : [],
    ),
  ]
}

/** H3: every counter equals the number of nights that it counts. */
function checkCounts(rooms: readonly RoomNight[], blocks: readonly BlockNight[], nights: readonly Night[]): string[] {
  const byPool = Map.groupBy(nights, ({ block_id, key }) => `${block_id ?? ''} ${key}`)
  const counted = [
    ...rooms.map((one) => ({ pool: ` ${one.key}`, ...one })),
    ...blocks.map((one) => ({ pool: `${one.block_id} ${one.key}`, ...one })),
  ]
  return counted.flatMap(({ pool, booked, held }) => {
    const all = byPool.get(pool) ?? []
    const holds = all.filter(({ status }) => status === 'held').length
    return holds === held && all.length - holds === booked
      ? []
      : [`H3 ${pool}: ${booked} + ${held} counted, ${all.length - holds} + ${holds} there`]
  })
}

const MS_PER_DAY = 86_400_000

/** H4: a live stay has all its nights at its hotel and room type, and any other stay has none. */
function checkStays(stays: readonly Stay[], nights: readonly Night[]): string[] {
  const byStay = Map.groupBy(nights, ({ reservation_id }) => reservation_id)
  return stays.flatMap(({ id, place, check_in, check_out, status }) => {
    const own = byStay.get(id) ?? []
    if (!LIVE.includes(status)) return own.length === 0 ? [] : [`H4 ${id} is ${status} and has ${own.length} nights`]
    const wanted = (Date.parse(check_out) - Date.parse(check_in)) / MS_PER_DAY
    const within = own.filter((one) => one.place === place && one.status === status && one.night >= check_in && one.night < check_out)
    return own.length === wanted && within.length === wanted ? [] : [`H4 ${id}: ${within.length} of ${wanted} nights`]
  })
}
