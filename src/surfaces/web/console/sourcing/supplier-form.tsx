import { z } from 'zod'
import { ROOM_SETUPS } from '../../../../domains/briefs/answers.ts'
import {
  AddressShape,
  ContactShape,
  MeetingRoomShape,
  SUPPLIER_RECORD,
  SUPPLIER_KINDS,
} from '../../../../domains/suppliers/supplier-record.ts'
import type { MeetingRoom, SupplierContact, SupplierRow } from '../../../../domains/suppliers/tables.ts'
import { list, object } from '../../../../kernel/args.ts'
import { CountrySelect } from '../../components/codes.tsx'
import { createFieldPropsGetter } from '../../components/form-page.tsx'
import { Input, Select, TextArea } from '../../components/forms.tsx'
import { type FormErrors, validateFormFields } from '../../fields.ts'
import type { FormValues } from '../../web.ts'
import { parseRoomSetup, ROOM_SETUP_NAMES } from './room-setup-names.ts'

const { fields } = SUPPLIER_RECORD

const SupplierInput = object({
  name: fields.name.type,
  kind: fields.kind.type,
  address: AddressShape,
  latitude: fields.latitude.type.optional(),
  longitude: fields.longitude.type.optional(),
  website: fields.website.type.optional(),
  chain: fields.chain.type.optional(),
  stars: fields.stars.type.optional(),
  sleepingRooms: fields.sleepingRooms.type.optional(),
  totalMeetingSqm: fields.totalMeetingSqm.type.optional(),
  contacts: list(ContactShape, 20),
  meetingRooms: list(MeetingRoomShape, 200),
  amenities: fields.amenities.type,
  note: fields.note.type.optional(),
})
export type SupplierInput = z.output<typeof SupplierInput>

const LABELS: Record<string, string> = {
  name: 'Name',
  kind: 'Kind',
  'address/street': 'Street',
  'address/postalCode': 'Postal code',
  'address/city': 'City',
  'address/region': 'Region',
  'address/country': 'Country',
  latitude: 'Latitude',
  longitude: 'Longitude',
  website: 'Website',
  chain: 'Chain',
  stars: 'Stars',
  sleepingRooms: 'Sleeping rooms',
  totalMeetingSqm: 'Meeting space',
  note: 'Note',
}
const LISTS: Record<string, string> = { contacts: 'Contacts', meetingRooms: 'Meeting rooms', amenities: 'Amenities' }

export const getSupplierFieldLabel = (path: string): string => {
  const [first, index] = path.split('/') as [string, string | undefined]
  if (LISTS[first] === undefined) return LABELS[path] ?? ''
  return index === undefined ? LISTS[first] : `${LISTS[first]}, line ${Number(index) + 1}`
}

/** Moves the errors about single lines of a multi-line field to the field itself. */
export const moveLineErrorsToFields = (formErrors: FormErrors): FormErrors => ({
  ...formErrors,
  ...(formErrors.errors
    ? {
        errors: formErrors.errors.map((error) => ({
          ...error,
          path: LISTS[error.path.split('/')[0]!] ? error.path.split('/')[0]! : error.path,
        })),
      }
    : {}),
})

const given = (form: FormValues, name: string) => form[name]?.trim() || undefined
const numberOf = (form: FormValues, name: string) =>
  given(form, name) === undefined ? undefined : Number(form[name]!.trim().replace(',', '.'))
const lines = (form: FormValues, name: string) =>
  (form[name] ?? '')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter(Boolean)
const parts = (line: string) => line.split(';').map((part) => part.trim())

/** Parses a line of the contacts field: name; email; phone; role. */
const readContact = (line: string): SupplierContact => {
  const [name, email, phone, role] = parts(line)
  return { ...(name ? { name } : {}), ...(email ? { email } : {}), ...(phone ? { phone } : {}), ...(role ? { role } : {}) }
}

/** Parses a line of the meeting rooms field: name; area; seating arrangement and number of people, such as `theatre 120`. */
function readRoom(line: string): unknown {
  const [name, area = '', ...setups] = parts(line)
  const capacity = setups.filter(Boolean).map((written) => {
    const [, setup = written, people = 'missing'] = /^(.+?)\s+(\d+)$/.exec(written) ?? []
    return [parseRoomSetup(setup) ?? setup, Number(people)]
  })
  const areaSqm = area === '' ? undefined : Number(area.replace(/\s*m²?$/i, '').replace(',', '.'))
  return { name, ...(areaSqm === undefined ? {} : { areaSqm }), capacity: Object.fromEntries(capacity) }
}

const writeRoom = ({ name, areaSqm, capacity }: MeetingRoom) =>
  [
    name,
    areaSqm ?? '',
    ...ROOM_SETUPS.flatMap((setup) => (capacity[setup] === undefined ? [] : [`${ROOM_SETUP_NAMES[setup]} ${capacity[setup]}`])),
  ].join('; ')
const writeContact = ({ name, email, phone, role }: SupplierContact) =>
  [name, email, phone, role]
    .map((part) => part ?? '')
    .join('; ')
    .replace(/(?:; )+$/, '')

export const toSupplierFormValues = (row: SupplierRow): FormValues => {
  const values: Record<string, string | number | null | undefined> = {
    name: row.name,
    kind: row.kind,
    ...Object.fromEntries(Object.entries(row.address).map(([key, value]) => [`address/${key}`, value])),
    latitude: row.latitude,
    longitude: row.longitude,
    website: row.website,
    chain: row.chain,
    stars: row.stars === null ? null : Number(row.stars),
    sleepingRooms: row.sleeping_rooms,
    totalMeetingSqm: row.total_meeting_sqm,
    contacts: row.contacts.map(writeContact).join('\n'),
    meetingRooms: row.meeting_rooms.map(writeRoom).join('\n'),
    amenities: row.amenities.join(', '),
    note: row.note,
    revision: row.revision,
  }
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value ?? '')]))
}

export const readSupplierForm = (form: FormValues) =>
  validateFormFields(
    SupplierInput,
    {
      name: given(form, 'name'),
      kind: given(form, 'kind'),
      address: Object.fromEntries(
        ['street', 'postalCode', 'city', 'region', 'country'].flatMap((key) => {
          const value = given(form, `address/${key}`)
          return value === undefined ? [] : [[key, value]]
        }),
      ),
      latitude: numberOf(form, 'latitude'),
      longitude: numberOf(form, 'longitude'),
      website: given(form, 'website'),
      chain: given(form, 'chain'),
      stars: numberOf(form, 'stars'),
      sleepingRooms: numberOf(form, 'sleepingRooms'),
      totalMeetingSqm: numberOf(form, 'totalMeetingSqm'),
      contacts: lines(form, 'contacts').map(readContact),
      meetingRooms: lines(form, 'meetingRooms').map(readRoom),
      amenities: (form['amenities'] ?? '')
        .split(/[,\n]/)
        .map((word) => word.trim())
        .filter(Boolean),
      note: given(form, 'note'),
    },
    getSupplierFieldLabel,
  )

export const SUPPLIER_KIND_LABELS: Record<(typeof SUPPLIER_KINDS)[number], string> = {
  hotel: 'Hotel',
  venue: 'Venue',
  av: 'Audio and video',
  catering: 'Catering',
  transport: 'Transport',
  other: 'Other',
}
export const SUPPLIER_KIND_OPTIONS = SUPPLIER_KINDS.map((value) => ({ value, label: SUPPLIER_KIND_LABELS[value] }))

const OPTIONAL = { optional: '(optional)', autocomplete: 'off' }

/** The form fields of a supplier. */
export const SupplierFields = ({ form, formErrors }: { form: FormValues; formErrors: FormErrors | null }) => {
  const at = createFieldPropsGetter(form, formErrors)
  return (
    <>
      <fieldset class="subform">
        <legend class="legend">Name and address</legend>
        <div class="fields-2">
          <Input {...at('name')} label="Name" maxlength={160} required autocomplete="off" />
          <Select {...at('kind')} label="Kind" options={SUPPLIER_KIND_OPTIONS} />
          <Input {...at('address/street')} {...OPTIONAL} label="Street" maxlength={200} />
          <Input {...at('address/postalCode')} {...OPTIONAL} label="Postal code" maxlength={20} />
          <Input {...at('address/city')} {...OPTIONAL} label="City" maxlength={120} />
          <Input {...at('address/region')} {...OPTIONAL} label="Region" maxlength={120} />
          <CountrySelect {...at('address/country')} label="Country" optional="(optional)" none="Not set" />
          <Input {...at('website')} {...OPTIONAL} label="Website" maxlength={500} inputmode="url" />
          <Input {...at('chain')} {...OPTIONAL} label="Chain" maxlength={120} />
          <Input {...at('stars')} {...OPTIONAL} label="Stars" inputmode="decimal" />
        </div>
        <details open={Boolean(form['latitude'] || form['longitude'])}>
          <summary>Position on the map</summary>
          <div class="fields-2">
            <Input {...at('latitude')} {...OPTIONAL} label="Latitude" help="Degrees, such as 41.15" inputmode="decimal" />
            <Input {...at('longitude')} {...OPTIONAL} label="Longitude" help="Degrees, such as -8.61" inputmode="text" />
          </div>
        </details>
      </fieldset>
      <fieldset class="subform">
        <legend class="legend">Rooms and space</legend>
        <div class="fields-2">
          <Input {...at('sleepingRooms')} {...OPTIONAL} label="Sleeping rooms" inputmode="numeric" />
          <Input
            {...at('totalMeetingSqm')}
            {...OPTIONAL}
            label="Meeting space"
            help="In m². If empty, the areas of the rooms below are added."
            inputmode="decimal"
          />
        </div>
        <TextArea
          {...at('meetingRooms')}
          label="Meeting rooms"
          optional="(optional)"
          help={`One room per line: name; area in m²; people by setup. Setups: ${Object.values(ROOM_SETUP_NAMES).join(', ')}.`}
          placeholder={`Grand hall; 510; ${ROOM_SETUP_NAMES.theater} 560; ${ROOM_SETUP_NAMES.classroom} 300`}
          rows={4}
        />
        <TextArea {...at('amenities')} label="Amenities" optional="(optional)" help="Separated by commas, such as wifi, parking" rows={2} />
      </fieldset>
      <fieldset class="subform">
        <legend class="legend">Contacts</legend>
        <TextArea
          {...at('contacts')}
          label="People to write to"
          optional="(optional)"
          help="One person per line: name; email; phone; role. Emails go to the first."
          placeholder="Eva Lindner; eva@hotel.example; +43 1 234567; Sales"
          rows={3}
        />
        <TextArea {...at('note')} label="Note for colleagues" optional="(optional)" rows={2} />
      </fieldset>
    </>
  )
}
