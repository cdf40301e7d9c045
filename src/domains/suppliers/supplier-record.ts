import { z } from 'zod'
import { toOneLine, count, country, email, list, name, object, oneOf, text } from '../../kernel/args.ts'
import { defineRecord } from '../../kernel/records.ts'
import { ROOM_SETUPS } from '../briefs/answers.ts'
import { SUPPLIER_STATES } from './states.ts'

export const SUPPLIER_KINDS = ['hotel', 'venue', 'av', 'catering', 'transport', 'other'] as const
export type SupplierKind = (typeof SUPPLIER_KINDS)[number]

export const ContactShape = object({
  name: name(120).optional(),
  email: email().optional(),
  phone: text(60).optional(),
  role: text(120).optional(),
})

export const AddressShape = object({
  street: text(200).optional(),
  postalCode: text(20).optional(),
  city: text(120).optional(),
  region: text(120).optional(),
  country: country().optional(),
})

const people = () => count(1, 1_000_000).optional()
const Capacity = object({
  theater: people(),
  reception: people(),
  rounds: people(),
  classroom: people(),
  ushape: people(),
  boardroom: people(),
} satisfies Record<(typeof ROOM_SETUPS)[number], unknown>)

const squareMeters = () => z.number().positive('greater than 0').max(1_000_000, 'at most 1000000')
export const MeetingRoomShape = object({ name: name(120), areaSqm: squareMeters().optional(), capacity: Capacity })

export const SUPPLIER_RECORD = defineRecord({
  table: 'suppliers',
  kind: 'supplier',
  noun: 'Supplier',
  name: (row) => row.name,
  primaryKey: ['tenant_id', 'client_id', 'id'],
  states: SUPPLIER_STATES,
  fields: {
    name: { column: 'name', type: name(), meaning: 'Name of the supplier.' },
    kind: { column: 'kind', type: oneOf(SUPPLIER_KINDS), meaning: 'What the supplier offers.' },
    contacts: {
      column: 'contacts',
      json: 'whole',
      empty: [],
      type: toOneLine(list(ContactShape, 20), 'name, email, phone, role'),
      meaning: 'Contacts. Emails go to the first one with an address.',
    },
    address: {
      column: 'address',
      json: 'whole',
      empty: {},
      type: toOneLine(AddressShape, 'street, postalCode, city, region, country'),
      meaning: 'Address of the supplier.',
    },
    latitude: { column: 'latitude', empty: null, type: z.number().min(-90).max(90), meaning: 'Latitude in degrees.' },
    longitude: { column: 'longitude', empty: null, type: z.number().min(-180).max(180), meaning: 'Longitude in degrees.' },
    website: { column: 'website', empty: null, type: text(500), meaning: 'Website.' },
    chain: { column: 'chain', empty: null, type: text(120), meaning: 'Chain or brand.' },
    stars: { column: 'stars', empty: null, type: z.number().min(0).max(7), meaning: 'Stars.' },
    sleepingRooms: { column: 'sleeping_rooms', empty: null, type: count(0, 50_000), meaning: 'Number of sleeping rooms.' },
    meetingRooms: {
      column: 'meeting_rooms',
      json: 'whole',
      empty: [],
      type: toOneLine(list(MeetingRoomShape, 200), 'name, areaSqm, capacity { setup: people }'),
      meaning: 'Meeting rooms with area and capacity by setup.',
    },
    totalMeetingSqm: {
      column: 'total_meeting_sqm',
      empty: null,
      type: squareMeters(),
      meaning: 'Meeting space in all rooms together, in square meters.',
    },
    amenities: { column: 'amenities', empty: [], type: list(text(120), 100), meaning: 'Amenities, such as wifi or parking.' },
    note: { column: 'note', empty: null, type: text(2000), meaning: 'Note for colleagues.' },
    status: {
      column: 'status',
      readOnly: true,
      type: oneOf(SUPPLIER_STATES.all),
      meaning: 'Whether the supplier was verified or is blocked.',
    },
    sources: { column: 'sources', json: 'whole', readOnly: true },
    catalogRef: { column: 'catalog_ref', readOnly: true },
  },
})
