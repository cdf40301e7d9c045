import { ROOM_SETUPS, type RoomSetup } from '../../../../domains/briefs/answers.ts'
import type { MeetingRoom, SupplierAddress, SupplierContact, SupplierRow } from '../../../../domains/suppliers/tables.ts'
import { formatCountryName } from '../../../../kernel/language/format.ts'
import { formatInteger } from '../../components/figures.tsx'
import type { Child } from 'hono/jsx'
import { ListCard } from '../../components/list-page.tsx'
import { Card, DescriptionList, type TableColumn, TimestampText } from '../../components/parts.tsx'
import { ROOM_SETUP_NAMES } from './room-setup-names.ts'
import { SUPPLIER_KIND_LABELS } from './supplier-form.tsx'

/** Describes where the data of a supplier comes from. */
const SOURCE_NAMES: Record<SupplierRow['sources'][number]['kind'], string> = {
  typed: 'Entered by hand',
  page: 'Website',
  catalog: 'Hotel catalogue',
  provider: 'Hotel provider',
}

const isWebAddress = (ref: string) => /^https?:\/\//.test(ref)

/** A web address as a link without its scheme. Other references, such as a code of a catalogue, are plain text. */
const Reference = ({ to }: { to: string }) =>
  isWebAddress(to) ? (
    <a href={to} rel="noopener noreferrer">
      {to.replace(/^https?:\/\/|\/$/g, '')}
    </a>
  ) : (
    <bdi>{to}</bdi>
  )

const formatAddress = ({ street, postalCode, city, region, country }: SupplierAddress): string =>
  [street, [postalCode, city].filter(Boolean).join(' '), region, country && formatCountryName('en', country)].filter(Boolean).join(', ')

const count = (of: number, one: string, many: string) => `${formatInteger(of)} ${of === 1 ? one : many}`

/** What the supplier is, in one sentence: "A hotel of Palaces in Porto, Portugal, with 200 sleeping rooms and 510 m² of meeting space." */
function describeSupplier(supplier: SupplierRow): string {
  const { kind, stars, chain, address, sleeping_rooms: sleeping } = supplier
  const space = supplier.total_meeting_sqm ?? supplier.meeting_rooms.reduce((sum, { areaSqm = 0 }) => sum + areaSqm, 0)
  const what = kind === 'hotel' && stars !== null ? `${Number(stars)}-star hotel` : NOUNS[kind]
  const place = [address.city, address.country && formatCountryName('en', address.country)].filter(Boolean).join(', ')
  const offers = [
    ...(sleeping === null ? [] : [count(sleeping, 'sleeping room', 'sleeping rooms')]),
    ...(space === 0 ? [] : [`${formatInteger(space)} m² of meeting space`]),
  ]
  return [
    `A ${what}`,
    chain ? ` of ${chain}` : '',
    place === '' ? '' : ` in ${place}`,
    offers.length === 0 ? '' : `${place === '' ? '' : ','} with ${offers.join(' and ')}`,
    '.',
  ].join('')
}

const NOUNS: Record<SupplierRow['kind'], string> = {
  hotel: 'hotel',
  venue: 'venue',
  av: 'supplier of audio and video',
  catering: 'caterer',
  transport: 'transport company',
  other: 'supplier',
}

/** How the supplier has answered RFPs so far. */
function describeHistory({ rfps, responses, awards }: SupplierRow): string {
  if (rfps === 0) return 'It has not received an RFP yet.'
  const answered = responses === 0 ? 'answered none' : responses === rfps ? 'answered all of them' : `answered ${formatInteger(responses)}`
  const won = awards === 0 ? 'won none' : `won ${formatInteger(awards)}`
  return `It received ${count(rfps, 'RFP', 'RFPs')}, ${rfps === 1 && responses === 1 ? 'answered it' : answered} and ${rfps === 1 && awards === 1 ? 'won it' : won}.`
}

const About = ({ supplier }: { supplier: SupplierRow }) => {
  const { address, website, amenities, note } = supplier
  const where = formatAddress(address)
  return (
    <Card title="About">
      <div class="stack">
        <p class="prose">
          <bdi>{describeSupplier(supplier)}</bdi> {describeHistory(supplier)}
        </p>
        <DescriptionList
          rows={[
            ['Kind', SUPPLIER_KIND_LABELS[supplier.kind]],
            ...(where === '' ? [] : [['Address', <bdi>{where}</bdi>] as [string, Child]]),
            ...(website === null ? [] : [['Website', <Reference to={website} />] as [string, Child]]),
            ...(amenities.length === 0 ? [] : [['Amenities', <bdi>{amenities.join(', ')}</bdi>] as [string, Child]]),
            ...(note === null ? [] : [['Note for colleagues', <bdi class="pre">{note}</bdi>] as [string, Child]]),
          ]}
        />
      </div>
    </Card>
  )
}

const roomColumns = (rooms: readonly MeetingRoom[]): TableColumn<MeetingRoom>[] => {
  const setups = ROOM_SETUPS.filter((setup) => rooms.some(({ capacity }) => capacity[setup] !== undefined))
  const people = (setup: RoomSetup): TableColumn<MeetingRoom> => ({
    label: ROOM_SETUP_NAMES[setup].replace(/^./, (first) => first.toUpperCase()),
    number: true,
    cell: ({ capacity }) => (capacity[setup] === undefined ? '–' : formatInteger(capacity[setup])),
  })
  return [
    { label: 'Room', lead: true, cell: ({ name }) => <bdi>{name}</bdi> },
    { label: 'Area', number: true, cell: ({ areaSqm }) => (areaSqm === undefined ? '–' : `${formatInteger(areaSqm)} m²`) },
    ...setups.map(people),
  ]
}

const Contact = ({ contact: { name, email, phone, role } }: { contact: SupplierContact }) => (
  <li>
    {name ? (
      <b>
        <bdi>{name}</bdi>
      </b>
    ) : null}
    {role ? <div class="muted">{role}</div> : null}
    {email ? (
      <div>
        <a href={`mailto:${email}`}>{email}</a>
      </div>
    ) : null}
    {phone ? (
      <div>
        <a href={`tel:${phone.replaceAll(/[^\d+]/g, '')}`}>{phone}</a>
      </div>
    ) : null}
  </li>
)

const Contacts = ({ supplier: { contacts } }: { supplier: SupplierRow }) => (
  <Card title="Contacts">
    {contacts.length === 0 ? (
      <p class="muted">No contacts yet. RFPs are sent to the first contact with an email address.</p>
    ) : (
      <ul class="plain stack">
        {contacts.map((contact) => (
          <Contact contact={contact} />
        ))}
      </ul>
    )}
  </Card>
)

const Sources = ({ supplier: { sources } }: { supplier: SupplierRow }) => (
  <Card title="Where this is from">
    <ul class="plain">
      {sources.map(({ kind, ref, at }) => (
        <li>
          {SOURCE_NAMES[kind]}
          {ref ? (
            <>
              {' '}
              <Reference to={ref} />
            </>
          ) : null}
          , <TimestampText at={new Date(at)} />
        </li>
      ))}
    </ul>
  </Card>
)

/** The page content of a supplier: facts, actions and meeting rooms, and beside them the contacts and the sources of the data. */
export const SupplierView = ({ supplier, children }: { supplier: SupplierRow; children: Child }) => (
  <div class="grid wide-left">
    <div class="grid">
      <About supplier={supplier} />
      {children}
      <ListCard
        title="Meeting rooms"
        caption="Meeting rooms with area and people by setup"
        columns={roomColumns(supplier.meeting_rooms)}
        rows={supplier.meeting_rooms}
        empty="No meeting rooms are known."
      />
    </div>
    <div class="grid">
      <Contacts supplier={supplier} />
      <Sources supplier={supplier} />
    </div>
  </div>
)
