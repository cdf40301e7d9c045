import type { RoomSetup } from '../../briefs/answers.ts'
import type { MeetingRoom } from '../tables.ts'
import { mentionsSquareFeet, mentionsSquareMeters, parseArea, parseNumber } from './numbers.ts'
import { toSingleLine } from './text.ts'

const fold = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim()

/** Words for room setups in table headings, in several languages. */
const SETUP_WORDS: readonly [RoomSetup, RegExp][] = [
  ['theater', /theat|teatr|auditorium|reihen|kino/],
  ['classroom', /class|school|escuela|escola|aula|parlament|schule/],
  ['ushape', /u[- ]?(?:shape|form)|en u\b|^u$|em u\b/],
  ['boardroom', /board|block|conseil|junta|imperial/],
  ['rounds', /banquet|bankett|banchetto|round|gala|dinner|runde/],
  ['reception', /recep|cocktail|coctel|coquetel|standing|empfang|rezeption|apero/],
]

const findSetup = (heading: string): RoomSetup | null => SETUP_WORDS.find(([, pattern]) => pattern.test(heading))?.[0] ?? null

const isArea = (heading: string) =>
  mentionsSquareMeters(heading) || mentionsSquareFeet(heading) || /\b(?:area|size|surface|superficie|flache|grosse)\b/.test(heading)

interface Columns {
  area: { index: number; unit: string } | null
  setups: Map<number, RoomSetup>
}

/** Finds the columns of areas and capacities; null if the row is not the heading of a capacity table. */
function readHeading(row: readonly string[]): Columns | null {
  const headings = row.map(fold)
  const areas = headings.flatMap((heading, index) => (index > 0 && isArea(heading) ? [{ index, unit: heading }] : []))
  const setups = new Map<number, RoomSetup>()
  for (const [index, heading] of headings.entries()) {
    const setup = index === 0 || areas.some((area) => area.index === index) ? null : findSetup(heading)
    if (setup && ![...setups.values()].includes(setup)) setups.set(index, setup)
  }
  const area = areas.find(({ unit }) => mentionsSquareMeters(unit)) ?? areas[0] ?? null
  return area === null && setups.size === 0 ? null : { area, setups }
}

const MAX_ROOMS = 200
const MAX_PEOPLE = 1_000_000

function readRoom(row: readonly string[], { area, setups }: Columns): MeetingRoom | null {
  const name = toSingleLine(row[0] ?? '', 120)
  if (name === null || /^(?:total|gesamt|summe)\b/i.test(name)) return null
  const areaSqm = area === null ? null : parseArea(row[area.index] ?? '', area.unit)
  const capacity = Object.fromEntries(
    [...setups].flatMap(([index, setup]) => {
      const people = parseNumber(row[index] ?? '')
      return people !== null && Number.isInteger(people) && people > 0 && people <= MAX_PEOPLE ? [[setup, people]] : []
    }),
  )
  if (areaSqm === null && Object.keys(capacity).length === 0) return null
  return { name, ...(areaSqm === null ? {} : { areaSqm }), capacity }
}

/** Reads meeting rooms from tables whose heading contains areas or setups. */
export function readMeetingRoomTables(tables: readonly (readonly (readonly string[])[])[]): MeetingRoom[] {
  const rooms = tables.flatMap((table) => {
    const start = table.findIndex((row) => row.length > 1 && readHeading(row) !== null)
    if (start < 0) return []
    const columns = readHeading(table[start]!)!
    return table.slice(start + 1).flatMap((row) => readRoom(row, columns) ?? [])
  })
  return mergeMeetingRooms(rooms).slice(0, MAX_ROOMS)
}

/** Merges rooms with the same name. Later entries fill in values that earlier entries do not have. */
export function mergeMeetingRooms(rooms: readonly MeetingRoom[]): MeetingRoom[] {
  const byName = new Map<string, MeetingRoom>()
  for (const room of rooms) {
    const known = byName.get(fold(room.name))
    byName.set(fold(room.name), known ? { ...room, ...known, capacity: { ...room.capacity, ...known.capacity } } : room)
  }
  return [...byName.values()]
}
